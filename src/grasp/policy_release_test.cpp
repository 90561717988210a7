#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_release_test {

using namespace testing;

TEST(PolicyRelease, LosesNoAnnouncementThatReplacesTheReleasedOne) {
  World world;
  const auto older = announcement(1, {.maintainers = {2}}), first = state(1);
  const auto newer = announcement(1, {.at = kStart + 1});
  world.send(older);
  world.send(first);
  world.send(newer);
  world.release({older, first});  // had been collected before
  EXPECT_TRUE(world.has(newer));
  EXPECT_FALSE(world.may_rule(2, 1));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);
}

TEST(PolicyRelease, StoresLaterWhatACrashKeptFromTheStore) {
  World world;
  const auto older = world.serve(1);
  const auto newer = announcement(1, {.at = kStart + 1});
  Transition notes;
  Purgatory().hold_announcement(coordinate(1), {newer, kStart + 1800, false, false}, notes);
  ASSERT_TRUE(world.store().write({{}, {}, notes.all<store::Note>()}, kStart));
  world.restart();
  EXPECT_TRUE(world.is_open(1));
  world.pass(5);
  EXPECT_TRUE(world.has(newer));
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);
}

TEST(PolicyRelease, LeavesDeletedWhatWasDeletedMeanwhile) {
  World world;
  const auto announced = announcement(1), first = state(1);
  world.send(announced);
  world.send(first);
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  world.release({announced, first});
  EXPECT_FALSE(world.is_open(1));
  EXPECT_FALSE(world.has(announced));
}

TEST(PolicyRelease, TakesOutWhatMovedAwayMeanwhile) {
  World world;
  const auto announced = announcement(1), first = state(1);
  world.send(announced);
  world.send(first);
  world.send(announcement(1, {.at = kStart + 1, .listed = false}));
  world.release({announced, first});
  EXPECT_FALSE(world.is_open(1));
  EXPECT_FALSE(world.has(announced));
}

TEST(PolicyRelease, OfWhatCouldNotBeWrittenLeavesWhatWasThere) {
  World world;
  const auto held = announcement(1, {.maintainers = {2}});
  world.send(held);
  world.send_in_vain(announcement(1, {.at = kStart + 1}));
  EXPECT_TRUE(world.holds(held));
  EXPECT_TRUE(world.may_rule(2, 1));
  world.send_in_vain(held);  // a duplicate
  EXPECT_TRUE(world.holds(held));
  world.send_in_vain(announcement(3, {.identifier = "new"}));
  EXPECT_FALSE(world.known().is_open(coordinate(3, "new")));
  EXPECT_EQ(world.known().purgatory().size(), 1U);
}

}  // namespace policy_release_test
}  // namespace graspd::grasp
