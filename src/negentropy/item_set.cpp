#include "negentropy/item_set.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "core/check.h"
#include "core/sha256.h"
#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace {

// Ids are summed as they lie in memory.
static_assert(std::endian::native == std::endian::little);

// Each strict: repeats make an order Mixed, and only that one needs to look for them.
enum class Order { Ascending, Descending, NewestFirst, Mixed };

int compare(const Id& a, const Id& b) { return std::memcmp(a.data(), b.data(), a.size()); }

Order order_of(std::span<const Item> items) {
  bool ascending = true, descending = true, newest_first = true;
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Item &a = items[i - 1], &b = items[i];
    const bool same_time = a.timestamp == b.timestamp;
    const int ids = same_time ? compare(a.id, b.id) : 0;
    ascending &= same_time ? ids < 0 : a.timestamp < b.timestamp;
    descending &= same_time ? ids > 0 : a.timestamp > b.timestamp;
    newest_first &= same_time ? ids < 0 : a.timestamp > b.timestamp;
    if (!ascending && !descending && !newest_first) return Order::Mixed;
  }
  return ascending ? Order::Ascending : descending ? Order::Descending : Order::NewestFirst;
}

void reverse_each_second(std::vector<Item>& items) {
  for (auto first = items.begin(); first != items.end();) {
    const std::uint64_t second = first->timestamp;
    const auto last = std::find_if(first + 1, items.end(),
                                   [second](const Item& item) { return item.timestamp != second; });
    if (last - first > 1) std::reverse(first, last);
    first = last;
  }
}

void sort_and_drop_repeats(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

void put_in_order(std::vector<Item>& items) {
  const Order order = order_of(items);
  if (order == Order::Ascending) return;
  if (order == Order::Mixed) return sort_and_drop_repeats(items);
  std::reverse(items.begin(), items.end());
  if (order == Order::NewestFirst) reverse_each_second(items);
}

}  // namespace

ItemSet::ItemSet(std::vector<Item> items) : items_(std::move(items)) {
  put_in_order(items_);
  while (!items_.empty() && items_.back().timestamp == kInfinity) items_.pop_back();
  build_sums();
}

void ItemSet::add(Sum& sum, const Id& id) {
  const auto limbs = std::bit_cast<Sum>(id);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const std::uint64_t with_carry = limbs[i] + carry;
    carry = with_carry < carry;
    sum[i] += with_carry;
    carry += sum[i] < with_carry;
  }
}

void ItemSet::build_sums() {
  sums_.reserve(items_.size() / kStride + 1);
  Sum sum{};
  sums_.push_back(sum);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    add(sum, items_[i].id);
    if ((i + 1) % kStride == 0) sums_.push_back(sum);
  }
}

ItemSet::Sum ItemSet::sum_before(std::size_t index) const {
  if (index == 0) return {};
  const std::size_t known = index / kStride;
  Sum sum = sums_[known];
  for (std::size_t i = known * kStride; i < index; ++i) add(sum, items_[i].id);
  return sum;
}

Fingerprint ItemSet::fingerprint(std::size_t begin, std::size_t end) const {
  CHECK(begin <= end && end <= items_.size());
  Sum sum = sum_before(begin);
  for (std::uint64_t& limb : sum) limb = ~limb;  // -x = ~x + 1, and the 1 is added below
  add(sum, Id{1});
  add(sum, std::bit_cast<Id>(sum_before(end)));

  std::string digested(reinterpret_cast<const char*>(sum.data()), sizeof(sum));
  append_varint(digested, end - begin);
  const core::Sha256 digest = core::sha256(digested);
  Fingerprint result;
  std::copy_n(digest.begin(), result.size(), result.begin());
  return result;
}

std::size_t ItemSet::memory_bytes() const {
  return items_.capacity() * sizeof(Item) + sums_.capacity() * sizeof(Sum);
}

}  // namespace graspd::negentropy
