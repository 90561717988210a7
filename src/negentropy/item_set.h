// The set one side of a reconciliation holds: (timestamp, id) in protocol order, with sums so that
// the fingerprint of any range costs the same (NIP-77, appendix).
//
//   R1  Items are ordered by timestamp, then id; no item twice.
//   R2  The fingerprint of a range is O(1): it needs less than 2 * IdSums::kStride additions
//       whatever its length.
//   R3  An item at the infinite timestamp, which the protocol reserves, is left out.
//   R4  In memory the last item comes first, as stores answer: nobody has to turn a million round.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <ranges>
#include <span>
#include <vector>

#include "negentropy/id_sums.h"

namespace graspd::negentropy {

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

// Sets are large: where their memory comes from is for their maker to say.
using Items = std::pmr::vector<Item>;

class ItemSet {
 public:
  ItemSet() = default;
  // Sorts if needed, drops repeats, builds the sums. What a store answers is better given to an
  // ItemSetBuilder.
  explicit ItemSet(const std::vector<Item>& items)
      : ItemSet(of_any_order(Items(items.begin(), items.end()))) {}

  std::size_t size() const { return items_.size(); }
  const Item& operator[](std::size_t index) const { return items_[items_.size() - 1 - index]; }
  auto items() const { return std::views::reverse(std::span<const Item>(items_)); }

  Fingerprint fingerprint(std::size_t begin, std::size_t end) const;
  std::size_t memory_bytes() const;

 private:
  friend class ItemSetBuilder;
  static ItemSet of_any_order(Items items);
  ItemSet(Items last_first, IdSums sums);

  IdSum sum_from(std::size_t index) const;

  Items items_;  // R4
  IdSums sums_;  // from the last item on
};

}  // namespace graspd::negentropy
