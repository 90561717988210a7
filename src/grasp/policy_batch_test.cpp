// What goes into one transaction, and what becomes of it. Rule numbers are those of grasp/policy.h.
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_batch_test {
using namespace testing;

TEST(PolicyBatch, R8_CountsForOthersWhenItIsWritten) {
  World world;
  Transition changes;
  world.policy().decide(announcement(1), {}, world.now, changes);
  EXPECT_FALSE(world.policy().snapshot()->is_open(coordinate(1)));
  EXPECT_TRUE(std::holds_alternative<LookForData>(
      world.policy().decide(state(1), {}, world.now, changes)));  // they know of each other
  world.policy().commit();
  EXPECT_TRUE(world.policy().snapshot()->is_open(coordinate(1)));
}

TEST(PolicyBatch, R8_LeavesNothingWhenItFails) {
  World world;
  const auto orphan = state(2, 'b');
  world.send(orphan);
  const auto before = world.known().contents();
  Transition changes;
  world.policy().decide(announcement(2), {}, world.now, changes);
  ASSERT_EQ(changes.all<Retry>().size(), 1U);
  world.policy().fail();
  EXPECT_EQ(world.known().contents(), before);
  EXPECT_TRUE(world.known().knows(orphan->event.id)) << "it waits as before";
  world.send(announcement(2));
  EXPECT_TRUE(world.holds(orphan));
}

TEST(PolicyBatch, R8_OffersARetryAgainThatFailed) {
  World world;
  const auto orphan = state(2, 'b');
  world.send(orphan);
  Transition called, decided, swept;
  world.policy().decide(announcement(2), {}, world.now, called);
  world.policy().commit();
  ASSERT_EQ(called.all<Retry>().size(), 1U);
  world.policy().decide(orphan, {}, world.now, decided);
  world.policy().fail();
  world.policy().expire(world.now, swept);
  ASSERT_EQ(swept.all<Retry>().size(), 1U);
  EXPECT_EQ(swept.all<Retry>()[0].event->event.id, orphan->event.id);
}

TEST(PolicyBatch, R8_OwesWhatItFailedToWrite) {
  World world;
  Transition first, second;
  world.policy().use({.event_blacklist = AccessList::parse(nostr::nip19::npub(author(3))).list});
  world.policy().commit();
  world.policy().expire(world.now, first);
  EXPECT_EQ(first.all<store::Note>().size(), 1U);
  world.policy().fail();
  world.policy().expire(world.now, second);
  EXPECT_EQ(second.all<store::Note>().size(), 1U);
}

TEST(PolicyBatch, R16_TellsWhichListingsChangedWhenTheyDid) {
  World world;
  Transition changes;
  world.policy().decide(announcement(1), {}, world.now, changes);
  EXPECT_TRUE(world.policy().take_changed_listings().empty());
  world.policy().commit();
  EXPECT_EQ(world.policy().take_changed_listings(), std::set<Coordinate>{coordinate(1)});
  world.policy().decide(announcement(2), {}, world.now, changes);
  world.policy().fail();
  EXPECT_TRUE(world.policy().take_changed_listings().empty());
}

}  // namespace policy_batch_test
}  // namespace graspd::grasp
