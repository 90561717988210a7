// The set one side of a reconciliation holds: (timestamp, id) in protocol order, with prefix sums
// so that the fingerprint of any range costs the same (NIP-77, appendix).
//
//   R1  Items are ordered by timestamp, then id; no item twice.
//   R2  The fingerprint of a range is O(1): sums are kept at every kStride-th item, so a range
//       needs at most 2 * kStride additions whatever its length, and 1/kStride of the memory.
//   R3  An item at the infinite timestamp, which the protocol reserves, is left out.
//   R4  Input in order, in reverse order, or as a store answers (newest first, in one second the
//       lowest id first) is not sorted but turned round: linear.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace graspd::negentropy {

using Id = std::array<std::uint8_t, 32>;
using Fingerprint = std::array<std::uint8_t, 16>;

constexpr std::uint64_t kInfinity = std::numeric_limits<std::uint64_t>::max();

struct Item {
  std::uint64_t timestamp = 0;
  Id id{};
  bool operator==(const Item&) const = default;
};
inline bool operator<(const Item& a, const Item& b) {
  return a.timestamp != b.timestamp ? a.timestamp < b.timestamp : a.id < b.id;
}

class ItemSet {
 public:
  ItemSet() = default;
  // Sorts if needed, drops repeats, builds the sums.
  explicit ItemSet(std::vector<Item> items);

  std::size_t size() const { return items_.size(); }
  const Item& operator[](std::size_t index) const { return items_[index]; }
  std::span<const Item> items() const { return items_; }

  Fingerprint fingerprint(std::size_t begin, std::size_t end) const;
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kStride = 16;
  using Sum = std::array<std::uint64_t, 4>;  // little-endian limbs, modulo 2^256

  static void add(Sum& sum, const Id& id);
  void build_sums();
  Sum sum_before(std::size_t index) const;

  std::vector<Item> items_;
  std::vector<Sum> sums_;  // sums_[k] = sum of items_[0 .. k * kStride)
};

}  // namespace graspd::negentropy
