#include "negentropy/item_set_builder.h"

#include <gtest/gtest.h>

#include "negentropy/random_items.h"

namespace graspd::negentropy {
namespace item_set_builder_test {

std::vector<Item> newest_first(std::vector<Item> items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.timestamp != b.timestamp ? a.timestamp > b.timestamp : a.id < b.id;
  });
  return items;
}

ItemSet built(const std::vector<Item>& items, std::size_t items_max) {
  ItemSetBuilder builder(items_max);
  for (const Item& item : items) builder.add(item);
  return std::move(builder).finish();
}

void expect_equal(const ItemSet& set, const ItemSet& expected) {
  ASSERT_TRUE(std::ranges::equal(set.items(), expected.items()));
  for (std::size_t begin = 0; begin <= set.size(); begin += 7)
    for (std::size_t end = begin; end <= set.size(); end += 5)
      ASSERT_EQ(set.fingerprint(begin, end), expected.fingerprint(begin, end));
}

TEST(ItemSetBuilder, MakesTheSetThatSortingMakes) {  // R1
  core::Rng rng(5);
  for (const std::size_t count : {0, 1, 15, 16, 17, 500})
    for (const std::size_t seconds : {1, 7, 100'000}) {
      const std::vector<Item> items = random_items(rng, count, 0, seconds);
      expect_equal(built(newest_first(items), count), ItemSet(items));
    }
}

TEST(ItemSetBuilder, TakesAnyOrderAndRepeats) {  // R2
  core::Rng rng(6);
  std::vector<Item> items = random_items(rng, 100, 0, 10);
  expect_equal(built(items, 0), ItemSet(items));
  items.insert(items.end(), items.begin() + 20, items.begin() + 40);
  expect_equal(built(items, 0), ItemSet(items));
  expect_equal(built(newest_first(items), 0), ItemSet(items));
}

TEST(ItemSetBuilder, LeavesOutTheInfiniteTimestamp) {
  const ItemSet set = built({{kInfinity, Id{1}}, {8, Id{2}}, {kInfinity, Id{3}}}, 3);
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set[0], (Item{8, Id{2}}));
}

TEST(ItemSetBuilder, KeepsNoMemoryForItemsThatDidNotCome) {  // R3
  core::Rng rng(7);
  for (const std::size_t count : {10, 10'000})
    EXPECT_LE(built(newest_first(random_items(rng, count, 0, 10)), 1'000'000).memory_bytes(),
              2 * count * sizeof(Item));
}

}  // namespace item_set_builder_test
}  // namespace graspd::negentropy
