#include "serve/sync/sync_inventory.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace sync_inventory_test {

using store::testing::event;

struct Remembering : relay::OpenAcceptance {
  bool knows(const nostr::EventId& id) const override {
    return std::any_of(positions.begin(), positions.end(),
                       [&](const store::Position& one) { return one.id == id; });
  }
  std::vector<store::Position> known(const nostr::Filter&) const override { return positions; }
  std::vector<store::Position> positions;
};

class Inventory : public testing::Test {
 protected:
  void keep(core::UnixSeconds created_at) {
    kept.push_back(event(1, 1, created_at, {}, std::to_string(created_at)));
    const store::Write writes[] = {{kept.back(), false}};
    ASSERT_TRUE(store.write(writes, 1'000));
  }
  store::MemoryStore store;
  Remembering acceptance;
  SyncInventory inventory{store, acceptance};
  std::vector<nostr::WireEventPtr> kept;
};

TEST_F(Inventory, HoldsWhatIsStoredAndWhatNeedNotComeAgain) {
  keep(10);
  keep(20);
  const auto refused = event(2, 1, 15);
  acceptance.positions.push_back({15, refused->event.id});
  const auto set = inventory.read({}, 1'000, std::nullopt);
  ASSERT_TRUE(set);
  EXPECT_EQ((*set)->size(), 3u);
  EXPECT_EQ((**set)[1].timestamp, 15u);
  EXPECT_EQ(middle_of(**set), 15);
}

TEST_F(Inventory, HoldsAnEventOnceThatIsStoredJustNow) {
  keep(10);
  acceptance.positions.push_back({10, kept[0]->event.id});
  EXPECT_EQ((*inventory.read({}, 1'000, std::nullopt))->size(), 1u);
}

TEST_F(Inventory, ThatIsTooLargeTellsWhereToSplit) {
  for (core::UnixSeconds at = 1; at <= 9; ++at) keep(at);
  EXPECT_TRUE(inventory.read({}, 1'000, 9));
  const auto set = inventory.read({}, 1'000, 4);
  ASSERT_FALSE(set);
  EXPECT_TRUE(set.error().too_large);
  EXPECT_EQ(set.error().items, 9u);
  EXPECT_EQ(set.error().middle, 5);
}

TEST_F(Inventory, CountsOnlyWhatThePeerWasAskedToHave) {
  const auto announcement = [](int owner, const char* identifier) {
    return event(owner, 30617, 10, {{"d", identifier}}, "");
  };
  kept = {announcement(1, "here"), announcement(1, "elsewhere"), announcement(2, "here"),
          announcement(2, "elsewhere")};
  std::vector<store::Write> writes;
  for (const auto& one : kept) writes.push_back({one, false});
  ASSERT_TRUE(store.write(writes, 1'000));
  std::vector<negentropy::Id> lacking{kept[1]->event.id.bytes(), kept[2]->event.id.bytes(),
                                      kept[3]->event.id.bytes()};
  const auto address = [&](std::size_t i, const char* identifier) {
    return nostr::Address{{30617}, kept[i]->event.pubkey, identifier};
  };
  sync::NegOpen asked;
  asked.filter.kinds = std::vector<nostr::Kind>{{30617}};
  asked.asked = {address(0, "here"), address(2, "elsewhere")};
  const auto set = *inventory.read(asked.filter, 1'000, std::nullopt);
  const auto some = inventory.coverage(asked, *set, lacking, 1'000);
  EXPECT_EQ(some.ours, 2u);
  EXPECT_EQ(some.only_ours, 1u);

  asked.asked.reset();
  const auto refused = event(3, 30617, 15, {{"d", "x"}}, "");
  lacking.push_back(refused->event.id.bytes());
  const auto all = inventory.coverage(asked, *set, lacking, 1'000);
  EXPECT_EQ(all.ours, 4u);
  EXPECT_EQ(all.only_ours, 3u);
}

TEST_F(Inventory, TellsWhichIdsAreNotKnown) {
  keep(10);
  const auto refused = event(2, 1, 15), unknown = event(3, 1, 16);
  acceptance.positions.push_back({15, refused->event.id});
  EXPECT_EQ(inventory.unknown({kept[0]->event.id, refused->event.id, unknown->event.id}),
            std::vector{unknown->event.id});
}

}  // namespace sync_inventory_test
}  // namespace graspd::serve
