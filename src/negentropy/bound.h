// Where a range ends: the least item that is no longer in it, of whose id only a prefix is sent.
//
//   R1  The bytes of the id after the prefix are zero; a prefix has at most 32 bytes.
//   R2  Timestamps are sent as the difference to the bound before, plus one; 0 is infinity.
//   R3  No finite bound reaches the infinite timestamp, and infinity has no prefix.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "negentropy/bad_message.h"
#include "negentropy/item_set.h"
#include "negentropy/varint.h"

namespace graspd::negentropy {

struct Bound {
  Item item;               // compares as the bound does
  std::size_t prefix = 0;  // bytes of item.id that are sent

  static Bound infinity();
  // The shortest bound that keeps neighbours apart: `last` is before it, `next` is not.
  static Bound between(const Item& last, const Item& next);

  bool operator==(const Bound& other) const { return item == other.item; }
  bool operator<(const Bound& other) const { return item < other.item; }
};

constexpr std::size_t kBoundBytesMax = kVarintBytesMax + 1 + sizeof(Id);

// `timestamp` is that of the previous bound of the message, 0 before the first; it is moved on.
void append_bound(std::string& out, std::uint64_t& timestamp, const Bound& bound);
core::Result<Bound, BadMessage> read_bound(std::string_view& bytes, std::uint64_t& timestamp);

// Index of the first item that is not before the bound, at or after `from`.
// Costs the logarithm of the distance: the bounds of a message lie close together.
std::size_t find_bound(const ItemSet& items, std::size_t from, const Bound& bound);

}  // namespace graspd::negentropy
