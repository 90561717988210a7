#include "negentropy/item_set_builder.h"

namespace graspd::negentropy {
namespace {

bool ids_ascend(std::span<const Item> items) {
  const auto descends = [](const Item& a, const Item& b) { return !(a.id < b.id); };
  return std::adjacent_find(items.begin(), items.end(), descends) == items.end();
}

}  // namespace

void ItemSetBuilder::make_space() {
  items_.reserve(items_max_);
  sums_.reserve(items_max_);
}

void ItemSetBuilder::give_space_back() {
  items_.shrink_to_fit();
  sums_.shrink_to_fit();
}

// The last second may go on. If it is long, it is not looked at again before it has doubled.
void ItemSetBuilder::settle_whole_seconds() {
  if (items_.size() >= kFew) make_space();
  std::size_t end = items_.size() - 1;
  while (end > settled_ && items_[end - 1].timestamp == items_.back().timestamp) --end;
  settle_to(end);
  settle_at_ = items_.size() + std::max(kTogether, items_.size() - settled_);
}

void ItemSetBuilder::settle_to(std::size_t end) {
  while (settled_ < end) {
    const bool alone = settled_ + 1 == items_.size() ||
                       items_[settled_ + 1].timestamp < items_[settled_].timestamp;
    if (!alone)
      put_second_in_order(end);
    else
      sums_.add(items_[settled_++].id);
  }
}

void ItemSetBuilder::put_second_in_order(std::size_t end) {
  const std::uint64_t second = items_[settled_].timestamp;
  std::size_t next = settled_;
  while (next < end && items_[next].timestamp == second) ++next;
  const auto items = std::span(items_).subspan(settled_, next - settled_);
  in_order_ =
      in_order_ && ids_ascend(items) && (next == items_.size() || items_[next].timestamp < second);
  std::reverse(items.begin(), items.end());
  for (; settled_ < next; ++settled_) sums_.add(items_[settled_].id);
}

ItemSet ItemSetBuilder::finish() && {
  settle_to(items_.size());
  if (items_.size() < items_.capacity() / 2) give_space_back();     // R3
  if (!in_order_) return ItemSet::of_any_order(std::move(items_));  // R2
  return {std::move(items_), std::move(sums_)};
}

}  // namespace graspd::negentropy
