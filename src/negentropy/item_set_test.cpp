#include "negentropy/item_set.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/hex.h"
#include "core/sha256.h"
#include "negentropy/random_items.h"
#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace item_set_test {

Id filled(std::uint8_t byte) {
  Id id;
  id.fill(byte);
  return id;
}

std::vector<Item> sorted(std::vector<Item> items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items;
}

std::vector<Item> contents(const ItemSet& set) { return {set.items().begin(), set.items().end()}; }

std::string fingerprint_hex(const ItemSet& set, std::size_t begin, std::size_t end) {
  return core::encode_hex(set.fingerprint(begin, end));
}

// The specification, byte by byte.
Fingerprint naive_fingerprint(std::span<const Item> items) {
  Id sum{};
  for (const Item& item : items) {
    unsigned carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      carry += sum[i] + item.id[i];
      sum[i] = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
  }
  std::string digested(sum.begin(), sum.end());
  append_varint(digested, items.size());
  const auto digest = core::sha256(digested);
  Fingerprint result;
  std::copy_n(digest.begin(), result.size(), result.begin());
  return result;
}

TEST(ItemSet, OrdersByTimestampThenId) {  // R1
  EXPECT_LT((Item{1, filled(9)}), (Item{2, filled(0)}));
  EXPECT_LT((Item{2, filled(0x7f)}), (Item{2, filled(0x80)}));
  EXPECT_FALSE((Item{2, filled(1)}) < (Item{2, filled(1)}));
}

TEST(ItemSet, IsTheSameFromEveryOrderOfItsInput) {  // R1
  core::Rng rng(5);
  for (const std::size_t seconds : {1, 7, 100'000}) {
    const std::vector<Item> items = random_items(rng, 500, 0, seconds);
    const std::vector<Item> expected = sorted(items);
    std::vector<Item> descending(expected.rbegin(), expected.rend());
    for (const auto& input : {items, expected, descending}) {
      const ItemSet set(input);
      EXPECT_EQ(contents(set), expected);
      EXPECT_EQ(set.fingerprint(0, set.size()), naive_fingerprint(expected));
    }
  }
}

TEST(ItemSet, KeepsARepeatedItemOnceInEveryOrder) {  // R1
  core::Rng rng(6);
  std::vector<Item> items = random_items(rng, 100, 0, 10);
  items.insert(items.end(), items.begin() + 20, items.begin() + 40);
  const std::vector<Item> expected = sorted(items);
  ASSERT_EQ(expected.size(), 100u);
  std::vector<Item> ascending = items;
  std::sort(ascending.begin(), ascending.end());
  const std::vector<Item> descending(ascending.rbegin(), ascending.rend());
  for (const auto& input : {items, ascending, descending})
    EXPECT_EQ(contents(ItemSet(input)), expected);
}

TEST(ItemSet, LeavesOutTheInfiniteTimestamp) {  // R3
  const ItemSet set({{kInfinity, filled(1)}, {kInfinity - 1, filled(2)}, {kInfinity, filled(3)}});
  EXPECT_EQ(contents(set), (std::vector<Item>{{kInfinity - 1, filled(2)}}));
  EXPECT_EQ(ItemSet({{kInfinity, filled(1)}}).size(), 0u);
}

TEST(ItemSet, FingerprintsAsTheSpecificationSays) {
  EXPECT_EQ(fingerprint_hex(ItemSet(), 0, 0), "7f9c9e31ac8256ca2f258583df262dbc");
  EXPECT_EQ(fingerprint_hex(ItemSet({{8, filled(1)}}), 0, 1), "ce041765675ad4d93378e20bd3a7d0d9");
  std::vector<Item> items;
  for (unsigned i = 0; i < 200; ++i) items.push_back({i, filled(static_cast<std::uint8_t>(i))});
  const ItemSet set(items);
  EXPECT_EQ(fingerprint_hex(set, 0, 200), "ee324757553658b9258bb21e203f8fe6");
  EXPECT_EQ(fingerprint_hex(set, 5, 40), "7791bf42b7cc15ddc201709c64981033");
}

TEST(ItemSet, LetsTheSumOverflow) {
  const ItemSet set({{1, filled(0xff)}, {2, Id{1}}});
  EXPECT_EQ(fingerprint_hex(set, 0, 2), "58cc2f44d3a27866874701fbad573da9");
}

TEST(ItemSet, FingerprintsEveryRangeAsTheNaiveSum) {  // R2
  core::Rng rng(7);
  for (const std::size_t count : {1, 15, 16, 17, 32, 100}) {
    const ItemSet set(random_items(rng, count, 0, 40));
    const std::vector<Item> sorted_items = contents(set);
    for (std::size_t begin = 0; begin <= count; ++begin)
      for (std::size_t end = begin; end <= count; ++end)
        ASSERT_EQ(set.fingerprint(begin, end),
                  naive_fingerprint(std::span(sorted_items).subspan(begin, end - begin)))
            << begin << ".." << end << " of " << count;
  }
}

TEST(ItemSet, TellsItsMemory) {
  core::Rng rng(8);
  const ItemSet set(random_items(rng, 1600, 0, 40));
  EXPECT_GE(set.memory_bytes(), 1600 * sizeof(Item) + 100 * 32);
  EXPECT_LE(set.memory_bytes(), 1600 * sizeof(Item) + 102 * 32);
}

}  // namespace item_set_test
}  // namespace graspd::negentropy
