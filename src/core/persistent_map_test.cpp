#include "core/persistent_map.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "core/persistent_set.h"
#include "core/rng.h"

namespace graspd::core {
namespace persistent_map_test {

template <class Key, class Value>
void expect_equal(const PersistentMap<Key, Value>& map, const std::map<Key, Value>& twin) {
  ASSERT_EQ(map.size(), twin.size());
  ASSERT_TRUE(std::ranges::equal(map, twin, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second == b.second;
  }));
  auto backwards = map.rbegin();
  for (auto at = twin.rbegin(); at != twin.rend(); ++at, ++backwards)
    ASSERT_EQ(backwards->first, at->first);
  ASSERT_EQ(backwards, map.rend());
}

// Some maps that are copied from each other again and again, each with a twin.
template <class Make>
void compare_with_twins(std::uint64_t seed, std::uint64_t keys, const Make& make) {
  using Item = decltype(make(0));
  using Map = PersistentMap<Item, Item>;
  Rng rng(seed);
  std::array<Map, 4> maps;
  std::array<std::map<Item, Item>, 4> twins;
  for (int step = 0; step < 3'000; ++step) {
    const std::size_t i = rng.below(maps.size());
    Map& map = maps[i];
    auto& twin = twins[i];
    const Item key = make(rng.below(keys)), value = make(rng.below(1'000));
    switch (rng.below(8)) {
      case 0:
      case 1:
        ASSERT_EQ(map.insert_or_assign(key, value), twin.insert_or_assign(key, value).second);
        break;
      case 2:
        ASSERT_EQ(map.insert(key, value), twin.emplace(key, value).second);
        break;
      case 3:
        map[key] = value;
        twin[key] = value;
        break;
      case 4:
      case 5:
        ASSERT_EQ(map.erase(key), twin.erase(key) > 0);
        break;
      case 6: {
        Item* found = map.find_to_change(key);
        ASSERT_EQ(found != nullptr, twin.contains(key));
        if (found) *found = twin[key] = value;
        break;
      }
      default: {
        if (rng.below(10) > 0) break;
        const std::size_t other = rng.below(maps.size());
        maps[other] = map;
        twins[other] = twin;
        ASSERT_EQ(maps[other], map);
      }
    }
    ASSERT_EQ(map.contains(key), twin.contains(key));
    const auto at = map.lower_bound(key);
    const auto there = twin.lower_bound(key);
    ASSERT_EQ(at == map.end(), there == twin.end());
    if (there != twin.end()) {
      ASSERT_EQ(at->first, there->first);
    }
    if (step % 100 == 0)
      for (std::size_t k = 0; k < maps.size(); ++k) expect_equal(maps[k], twins[k]);
  }
}

TEST(PersistentMap, EqualsItsTwinThroughRandomChangesAndCopies) {  // R1 R2 R4
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::uint64_t keys = seed % 2 == 0 ? 30 : 2'000;
    compare_with_twins(seed, keys, [](std::uint64_t number) { return number; });
    compare_with_twins(seed, keys, [](std::uint64_t number) { return std::to_string(number); });
  }
}

TEST(PersistentMap, EmptiesInAnyOrder) {
  for (const bool forward : {true, false}) {
    PersistentMap<int, std::string> map;
    for (int i = 0; i < 10'000; ++i) map.insert_or_assign(i, std::to_string(i));
    const auto full = map;
    for (int i = 0; i < 10'000; ++i) {
      const int key = forward ? i : 9'999 - i;
      ASSERT_EQ(map.take(key), std::to_string(key));
      ASSERT_EQ(map.size(), static_cast<std::size_t>(9'999 - i));
    }
    EXPECT_EQ(map, (PersistentMap<int, std::string>()));
    EXPECT_EQ(map.begin(), map.end());
    EXPECT_EQ(full.size(), 10'000U);
    EXPECT_EQ(full.at(1'234), "1234");
  }
}

TEST(PersistentMap, KeepsEntriesWhereTheyAreWhileOthersComeAndGo) {  // R5
  PersistentMap<int, std::string> map;
  map.insert_or_assign(500, "here");
  const std::string* at = map.find(500);
  for (int i = 0; i < 1'000; ++i)
    if (i != 500) map.insert_or_assign(i, "other");
  for (int i = 0; i < 1'000; i += 3) map.erase(i);
  EXPECT_EQ(map.find(500), at);
  const auto copy = map;
  *map.find_to_change(500) = "changed";
  EXPECT_EQ(copy.at(500), "here");
  EXPECT_EQ(copy.find(500), at);
}

TEST(PersistentMap, FindsTheFirstOfARange) {
  PersistentMap<std::pair<int, int>, int> map;
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k < 10; ++k) map.insert_or_assign({i, k}, i * k);
  const auto at = map.lower_bound_where([](const auto& key) { return key.first < 42; });
  EXPECT_EQ(at->first, std::pair(42, 0));
  EXPECT_EQ(std::prev(at)->first, std::pair(41, 9));
}

TEST(PersistentMap, IsReadByOthersWhileItsOwnerChangesIt) {  // R3
  constexpr int kKeys = 2'000;
  PersistentMap<int, std::string> map;
  for (int i = 0; i < kKeys; ++i) map.insert_or_assign(i, "0");
  for (int round = 1; round <= 20; ++round) {
    // The copies end in any order, while the owner goes on.
    std::vector<std::thread> readers;
    for (int k = 0; k < 2; ++k)
      readers.emplace_back([copy = map, round] {
        const std::string expected = std::to_string(round - 1);
        for (const auto& [key, value] : copy) ASSERT_EQ(value, expected);
      });
    for (int i = 0; i < kKeys; ++i) map.insert_or_assign(i, std::to_string(round));
    for (std::thread& reader : readers) reader.join();
  }
  EXPECT_EQ(map.at(7), "20");
}

TEST(PersistentSet, EqualsItsTwinThroughRandomChangesAndCopies) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Rng rng(seed);
    PersistentSet<std::uint64_t> set, before;
    std::set<std::uint64_t> twin, twin_before;
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t item = rng.below(3'000);
      if (rng.one_in(2))
        ASSERT_EQ(set.insert(item), twin.insert(item).second);
      else
        ASSERT_EQ(set.erase(item), twin.erase(item) > 0);
      if (step % 1'000 > 0) continue;
      ASSERT_TRUE(std::ranges::equal(set, twin));
      ASSERT_TRUE(std::ranges::equal(before, twin_before));
      before = set;
      twin_before = twin;
    }
  }
}

}  // namespace persistent_map_test
}  // namespace graspd::core
