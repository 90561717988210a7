#include "negentropy/item_set.h"

#include <algorithm>
#include <string>

#include "core/check.h"
#include "core/sha256.h"
#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace {

void put_in_order(Items& items) {
  if (!items.empty() && items.front() < items.back()) std::ranges::reverse(items);
  const auto last_first = [](const Item& a, const Item& b) { return b < a; };
  const auto out_of_order = [&](const Item& a, const Item& b) { return !last_first(a, b); };
  if (std::adjacent_find(items.begin(), items.end(), out_of_order) == items.end()) return;
  std::sort(items.begin(), items.end(), last_first);
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

ItemSet ItemSet::of_any_order(Items items) {
  put_in_order(items);
  const auto finite =
      std::ranges::find_if(items, [](const Item& item) { return item.timestamp != kInfinity; });
  items.erase(items.begin(), finite);
  IdSums sums;
  sums.reserve(items.size());
  for (const Item& item : items) sums.add(item.id);
  return {std::move(items), std::move(sums)};
}

ItemSet::ItemSet(Items last_first, IdSums sums)
    : items_(std::move(last_first)), sums_(std::move(sums)) {}

IdSum ItemSet::sum_from(std::size_t index) const {
  const std::size_t behind = items_.size() - index;
  auto [known, sum] = sums_.up_to(behind);
  for (std::size_t i = known; i < behind; ++i) add(sum, items_[i].id);
  return sum;
}

Fingerprint ItemSet::fingerprint(std::size_t begin, std::size_t end) const {
  CHECK(begin <= end && end <= items_.size());
  IdSum sum = sum_from(end);
  for (std::uint64_t& limb : sum) limb = ~limb;  // -x = ~x + 1, and the 1 is added below
  add(sum, Id{1});
  add(sum, std::bit_cast<Id>(sum_from(begin)));

  std::string digested(reinterpret_cast<const char*>(sum.data()), sizeof(sum));
  append_varint(digested, end - begin);
  const core::Sha256 digest = core::sha256(digested);
  Fingerprint result;
  std::copy_n(digest.begin(), result.size(), result.begin());
  return result;
}

std::size_t ItemSet::memory_bytes() const {
  return items_.capacity() * sizeof(Item) + sums_.memory_bytes();
}

}  // namespace graspd::negentropy
