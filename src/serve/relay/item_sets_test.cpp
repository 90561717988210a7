#include "serve/relay/item_sets.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"
#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace item_sets_test {

store::Write note(std::uint8_t n, core::UnixSeconds created_at) {
  nostr::WireEvent event;
  event.event.id = nostr::EventId({n});
  event.event.created_at = created_at;
  event.event.kind = {1};
  event.json = nostr::to_json(event.event);
  return {std::make_shared<nostr::WireEvent>(std::move(event))};
}

struct ItemSetsTest : testing::Test {
  ItemSetsTest() {
    std::vector<store::Write> notes{note(3, 10), note(1, 20), note(2, 20)};
    EXPECT_TRUE(store.write(notes, 100));
  }
  store::MemoryStore store;
};

TEST_F(ItemSetsTest, HoldWhatMatchesInProtocolOrder) {
  auto set = ItemSets(store, {10, 1 << 20}).get({}, 100);
  ASSERT_TRUE(set);
  std::vector<std::uint8_t> first_bytes;
  for (const auto& item : (*set)->items()) first_bytes.push_back(item.id[0]);
  EXPECT_EQ(first_bytes, (std::vector<std::uint8_t>{3, 1, 2}));
}

TEST_F(ItemSetsTest, TellTheCapWhenThereAreTooMany) {
  auto set = ItemSets(store, {2, 1 << 20}).get({}, 100);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().cap, 2u);
  EXPECT_EQ(set.error().reason.rfind("blocked: too many records", 0), 0u);
}

TEST_F(ItemSetsTest, HoldTheNewestWhenTheFilterHasALimit) {
  ItemSets sets(store, {2, 1 << 20, 0});
  nostr::Filter newest;
  newest.limit = 2;
  auto two = sets.get(newest, 100);
  ASSERT_TRUE(two);
  ASSERT_EQ((*two)->size(), 2u);
  EXPECT_EQ((*two)->items()[0].id[0], 1);
  newest.limit = 1;
  EXPECT_EQ((*sets.get(newest, 100))->size(), 1u);
  newest.limit = 3;
  EXPECT_FALSE(sets.get(newest, 100));
}

TEST_F(ItemSetsTest, ShareABudgetThatIsGivenBack) {  // R1
  ItemSets sets(store, {10, 1});
  auto first = sets.get({}, 100);
  ASSERT_TRUE(first);
  auto second = sets.get({}, 100);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason.rfind("error: ", 0), 0u);
  *first = nullptr;
  EXPECT_TRUE(sets.get({}, 100));
}

TEST_F(ItemSetsTest, ShareALargeSetWhileTheStoreIsTheSame) {  // R2
  ItemSets sets(store, {10, 1 << 20, 0});
  nostr::Filter notes;
  notes.kinds = {{{1}}};
  auto first = sets.get(notes, 100);
  ASSERT_TRUE(first);
  EXPECT_EQ(*sets.get(notes, 100), *first);
  EXPECT_NE(*sets.get({}, 100), *first);
  std::vector<store::Write> more{note(4, 30)};
  ASSERT_TRUE(store.write(more, 100));
  auto second = sets.get(notes, 100);
  EXPECT_EQ((*second)->size(), 4u);
}

TEST_F(ItemSetsTest, ShareNoSetForLong) {  // R2
  ItemSets sets(store, {10, 1 << 20, 0});
  auto first = sets.get({}, 100);
  EXPECT_EQ(*sets.get({}, 100 + ItemSets::kSharedFor), *first);
  EXPECT_NE(*sets.get({}, 101 + ItemSets::kSharedFor), *first);
}

TEST_F(ItemSetsTest, LookForNoSmallSet) {
  ItemSets sets(store, {10, 1 << 20});
  auto first = sets.get({}, 100);
  EXPECT_NE(*sets.get({}, 100), *first);
}

TEST_F(ItemSetsTest, ComeInSlices) {  // R3
  ItemSets sets(store, {10, 1 << 20});
  ItemSets::Making making(sets, {}, {});
  EXPECT_FALSE(making.step({.entries = 1}, 100));
  EXPECT_FALSE(making.step({.entries = 1}, 100));
  std::optional<ItemSets::Answer> answer;
  while (!answer) answer = making.step({.entries = 1}, 100);
  EXPECT_EQ((**answer)->size(), 3u);
}

TEST_F(ItemSetsTest, BeingMadeCountAgainstTheBudget) {  // R1
  ItemSets sets(store, {10, 1});
  auto one = std::make_unique<ItemSets::Making>(sets, nostr::Filter{}, Party{});
  EXPECT_FALSE(one->step({.entries = 1}, 100));
  EXPECT_FALSE(sets.get({}, 100, *core::IpAddress::parse("192.0.2.1")));
  one = nullptr;
  EXPECT_TRUE(sets.get({}, 100, *core::IpAddress::parse("192.0.2.1")));
}

TEST_F(ItemSetsTest, OfOnePartyLeaveRoomForOthers) {  // R4
  const std::size_t bytes = (*ItemSets(store, {10, 1 << 20}).get({}, 100))->memory_bytes();
  ItemSets sets(store, {10, 3 * bytes});
  const Party greedy = *core::IpAddress::parse("192.0.2.1"), other;
  auto first = sets.get({}, 100, greedy);
  ASSERT_TRUE(first);
  EXPECT_FALSE(sets.get({}, 100, greedy));
  EXPECT_TRUE(sets.get({}, 100, other));
  *first = nullptr;
  EXPECT_TRUE(sets.get({}, 100, greedy));
}

TEST_F(ItemSetsTest, ThatAreSharedAreChargedToAllWhoHaveThem) {  // R4
  ItemSets sets(store, {10, 1 << 20, 0});
  const std::size_t bytes = (*sets.get({}, 100))->memory_bytes();
  ItemSets small(store, {10, 4 * bytes, 0});
  const Party maker = *core::IpAddress::parse("192.0.2.1"), sharer;
  auto made = small.get({}, 100, maker);
  auto shared = small.get({}, 100, sharer);
  ASSERT_EQ(*made, *shared);
  *made = nullptr;
  nostr::Filter others;
  others.kinds = {{{1}}};
  EXPECT_TRUE(small.get(others, 100, maker));
  EXPECT_FALSE(small.get(others, 100, sharer));
}

}  // namespace item_sets_test
}  // namespace graspd::serve
