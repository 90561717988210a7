// How LMDB 0.9 lays out its file, as far as page_check.cpp has to know it.
#pragma once
#include <cstdint>
#include <cstring>

#include "lmdb/keys.h"

namespace graspd::lmdb::page {

constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kDataVersion = 1;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kNodeHeaderBytes = 8;
constexpr std::size_t kSizeMin = 256, kSizeMax = 65'536;

enum PageFlag : std::uint16_t {
  kBranch = 0x01,
  kLeaf = 0x02,
  kOverflow = 0x04,
  kMeta = 0x08,
  kFixedLeaf = 0x20,  // keys of one size, side by side, without nodes
  kInline = 0x40,     // a page inside a node
};
constexpr std::uint16_t kTypeMask = kBranch | kLeaf | kOverflow | kMeta | kFixedLeaf | kInline;

enum NodeFlag : std::uint16_t { kBigData = 0x01, kSubtree = 0x02, kDuplicates = 0x04 };

struct Header {
  std::uint64_t number;
  std::uint16_t key_bytes;  // of a kFixedLeaf
  std::uint16_t flags;
  std::uint16_t lower, upper;  // of an overflow page together: how many pages

  std::uint16_t type() const { return flags & kTypeMask; }
  std::uint32_t run() const { return lower | std::uint32_t{upper} << 16; }
};
static_assert(sizeof(Header) == kHeaderBytes);

struct Node {
  std::uint16_t low, high, flags, key_bytes;

  std::uint32_t data_bytes() const { return low | std::uint32_t{high} << 16; }
  std::uint64_t child() const { return data_bytes() | std::uint64_t{flags} << 32; }
};
static_assert(sizeof(Node) == kNodeHeaderBytes);

struct Tree {
  std::uint32_t pad;  // of the first tree: the size of a page
  std::uint16_t flags, depth;
  std::uint64_t branches, leaves, overflows, entries, root;
};
static_assert(sizeof(Tree) == 48);

struct Meta {
  std::uint32_t magic, version;
  std::uint64_t address, map_bytes;
  Tree free, main;
  std::uint64_t last, transaction;
};
static_assert(sizeof(Meta) == 136);

template <class T>
T read(Bytes bytes, std::size_t at = 0) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace graspd::lmdb::page
