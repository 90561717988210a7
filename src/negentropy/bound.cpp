#include "negentropy/bound.h"

#include <algorithm>

namespace graspd::negentropy {
namespace {

core::Result<std::uint64_t, BadMessage> add_offset(std::uint64_t timestamp, std::uint64_t encoded) {
  if (encoded == 0) return kInfinity;
  const std::uint64_t offset = encoded - 1;
  if (offset >= kInfinity - timestamp) return core::Failure{BadMessage::Bounds};
  return timestamp + offset;
}

}  // namespace

Bound Bound::infinity() {
  Bound bound;
  bound.item.timestamp = kInfinity;
  return bound;
}

Bound Bound::between(const Item& last, const Item& next) {
  Bound bound;
  bound.item.timestamp = next.timestamp;
  if (last.timestamp != next.timestamp) return bound;
  const auto differing = std::ranges::mismatch(next.id, last.id).in1;
  const auto common = static_cast<std::size_t>(differing - next.id.begin());
  bound.prefix = std::min(common + 1, next.id.size());
  std::copy_n(next.id.begin(), bound.prefix, bound.item.id.begin());
  return bound;
}

void append_bound(std::string& out, std::uint64_t& timestamp, const Bound& bound) {
  const bool infinite = bound.item.timestamp == kInfinity;
  append_varint(out, infinite ? 0 : bound.item.timestamp - timestamp + 1);
  timestamp = bound.item.timestamp;
  append_varint(out, bound.prefix);
  out.append(reinterpret_cast<const char*>(bound.item.id.data()), bound.prefix);
}

core::Result<Bound, BadMessage> read_bound(std::string_view& bytes, std::uint64_t& timestamp) {
  const auto encoded = read_varint(bytes);
  if (!encoded) return core::Failure{encoded.error()};
  const auto moved = add_offset(timestamp, *encoded);
  if (!moved) return core::Failure{moved.error()};
  const auto prefix = read_varint(bytes);
  if (!prefix) return core::Failure{prefix.error()};
  const std::size_t prefix_max = *moved == kInfinity ? 0 : sizeof(Id);
  if (*prefix > prefix_max) return core::Failure{BadMessage::Bounds};
  if (*prefix > bytes.size()) return core::Failure{BadMessage::Truncated};

  Bound bound;
  bound.item.timestamp = timestamp = *moved;
  bound.prefix = *prefix;
  std::copy_n(bytes.begin(), bound.prefix, bound.item.id.begin());
  bytes.remove_prefix(bound.prefix);
  return bound;
}

std::size_t find_bound(const ItemSet& items, std::size_t from, const Bound& bound) {
  std::size_t low = from;
  std::size_t step = 1;
  while (items.size() - low > step && items[low + step - 1] < bound.item) {
    low += step;
    step *= 2;
  }
  const auto near = std::views::iota(low, low + std::min(step, items.size() - low));
  const auto at = std::ranges::partition_point(
      near, [&](std::size_t index) { return items[index] < bound.item; });
  return low + static_cast<std::size_t>(at - near.begin());
}

}  // namespace graspd::negentropy
