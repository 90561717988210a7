#include "negentropy/item_set.h"

#include <algorithm>
#include <string>

#include "core/check.h"
#include "core/sha256.h"
#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace {

void put_in_order(Items& items) {
  const auto out_of_order = [](const Item& a, const Item& b) { return !(a < b); };
  if (std::adjacent_find(items.begin(), items.end(), out_of_order) == items.end()) return;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

ItemSet ItemSet::of_any_order(Items items) {
  put_in_order(items);
  while (!items.empty() && items.back().timestamp == kInfinity) items.pop_back();
  IdSums sums;
  sums.reserve(items.size());
  std::for_each(items.rbegin(), items.rend(), [&](const Item& item) { sums.add(item.id); });
  return {std::move(items), std::move(sums)};
}

ItemSet::ItemSet(Items ordered, IdSums sums) : items_(std::move(ordered)), sums_(std::move(sums)) {}

IdSum ItemSet::sum_from(std::size_t index) const {
  auto [known, sum] = sums_.up_to(items_.size() - index);
  for (std::size_t i = index; i < items_.size() - known; ++i) add(sum, items_[i].id);
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
