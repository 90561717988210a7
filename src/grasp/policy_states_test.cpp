#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_states_test {

using namespace testing;

const std::string kDuplicate = "duplicate: in purgatory";
const std::string kSuperseded = "duplicate: superseded by a newer event";
const std::string kNoAnnouncement = "invalid: no announcement exists for this repository";
const std::string kNotAuthorised = "restricted: author not authorized for this repository";
const std::string kExpired = "invalid: previously expired from purgatory without git data";

TEST(PolicyStates, NeedARepositoryHere) {
  World world;
  EXPECT_EQ(world.send(state(1)), kNoAnnouncement);
  EXPECT_EQ(world.send(event(1, 30618, kStart)),
            "invalid: repository identifier is missing or empty");
  world.serve(2, {.identifier = "other"});
  EXPECT_EQ(world.send(state(2, 'a')), kNoAnnouncement);
}

TEST(PolicyStates, ComeFromThoseWithAuthority) {  // R3
  World world;
  world.serve(1, {.maintainers = {2}});
  EXPECT_EQ(world.send(state(1, 'b', kStart + 1)), "purgatory");
  EXPECT_EQ(world.send(state(2, 'b', kStart + 1)), "purgatory");
  EXPECT_EQ(world.send(state(3, 'b', kStart + 1)), kNotAuthorised);
}

TEST(PolicyStates, WithoutAuthorityAreTriedAgainWhenTheyHaveIt) {
  World world;
  const auto early = state(2, 'b', kStart + 1), earlier = state(1);
  EXPECT_EQ(world.send(earlier), kNoAnnouncement);
  world.send(announcement(1));
  EXPECT_TRUE(world.holds(earlier));
  EXPECT_EQ(world.send(early), kNotAuthorised);
  world.send(announcement(3));  // somebody of the same name: no concern of theirs
  EXPECT_TRUE(world.performed.retry.size() == 1 && !world.holds(early));
  world.send(announcement(1, {.at = kStart + 1, .maintainers = {2}}));
  EXPECT_TRUE(world.holds(early));
  EXPECT_EQ(world.known().orphan_pool().size(), 0U);
}

TEST(PolicyStates, ThatArriveTogetherWithTheirAnnouncementAreHeldWhateverTheOrder) {
  const auto announced = announcement(1), first = state(1);
  for (const Events& order : {Events{announced, first}, Events{first, announced}}) {
    World world;
    world.send_together(order);
    EXPECT_TRUE(world.holds(announced));
    EXPECT_TRUE(world.holds(first));
  }
}

TEST(PolicyStates, ThatArriveTogetherWithTheRevocationDoNotRule) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.send_together({announcement(1, {.at = kStart + 1}), state(2, 'b', kStart + 1)});
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
}

TEST(PolicyStates, AreKeptOnePerAuthorTheNewest) {
  World world;
  world.serve(1);
  const auto newer = state(1, 'c', kStart + 2);
  EXPECT_EQ(world.send(newer), "purgatory");
  EXPECT_EQ(world.send(newer), kDuplicate);
  EXPECT_EQ(world.send(state(1, 'b', kStart + 1)), kSuperseded);
  EXPECT_TRUE(world.holds(newer));
  const auto newest = state(1, 'd', kStart + 3);
  EXPECT_EQ(world.send(newest), "purgatory");
  EXPECT_FALSE(world.holds(newer));
  EXPECT_EQ(world.send(state(1)), "duplicate: already have this event");
  EXPECT_EQ(world.send(state(1, 'b', kStart - 1)), kSuperseded);
}

TEST(PolicyStates, OfTheSameSecondAreOrderedByTheirIds) {  // acceptance.md §1
  auto low = state(1, 'b'), high = state(1, 'c');
  if (high->event.id < low->event.id) std::swap(low, high);
  World world;
  world.send(announcement(1));
  world.send(low);
  EXPECT_EQ(world.send(high), kSuperseded);
  EXPECT_EQ(world.ruling(1), low->event.id);
}

TEST(PolicyStates, RuleOnlyWhenTheyAreTheNewestServedOrWaiting) {  // acceptance.md §5.7
  World world;
  world.serve(1, {.at = kStart + 10, .maintainers = {2}});
  const auto served = state(1, 'a', kStart + 10);
  EXPECT_EQ(world.send(state(2, 'b', kStart + 5)), "purgatory");
  EXPECT_EQ(world.ruling(1), served->event.id);
  const auto newest = state(2, 'b', kStart + 15);
  world.send(newest);
  EXPECT_EQ(world.ruling(1), newest->event.id);
  EXPECT_TRUE(world.known().ruling(coordinate(1))->waiting);
  world.pass(30 * 60);  // it never came: the served one rules again, and somebody looks
  EXPECT_EQ(world.ruling(1), served->event.id);
  EXPECT_EQ(world.performed.recheck.count(*Identifier::parse("project")), 1U);
}

TEST(PolicyStates, OfStrangersOfTheSameNameRuleTheirOwnOnly) {  // acceptance.md §6.7
  World world;
  world.serve(1);
  world.serve(2, {.at = kStart + 1});
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_EQ(world.ruling(2), state(2, 'a', kStart + 1)->event.id);
}

TEST(PolicyStates, ThatDeclareNothingAreServedAtOnce) {  // R3
  World world;
  world.serve(1);
  const auto nothing = state(1, 0, kStart + 1);
  EXPECT_EQ(world.send(nothing), "stored");
  EXPECT_EQ(world.ruling(1), nothing->event.id);
}

TEST(PolicyStates, ThatDeclareNothingServeNoAnnouncement) {
  World world;
  world.send(announcement(1));
  EXPECT_EQ(world.send(state(1, 0)), "purgatory");
  EXPECT_FALSE(world.has(announcement(1)));
}

TEST(PolicyStates, WithJunkForValuesOnlyWait) {
  World world;
  world.serve(1);
  const auto junk =
      event(1, 30618, kStart + 1,
            tags({{"d", "project"}, {"refs/heads/main", "+refs/heads/*:refs/heads/*"}}));
  EXPECT_EQ(world.send(junk), "purgatory");  // acceptance.md §5.2
  EXPECT_FALSE(world.known().purgatory().state(coordinate(1))->state.satisfiable);
}

TEST(PolicyStates, GiveTheirAnnouncementTheFullTimeAndWakeIt) {
  World world;
  world.send(announcement(1, {.maintainers = {2}}));
  world.pass(29 * 60);
  world.send(state(2));
  world.pass(29 * 60);
  EXPECT_TRUE(world.is_open(1));
  world.pass(60);
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.performed.asleep, std::vector{coordinate(1)});
  EXPECT_EQ(world.send(state(1, 'b', kStart + 1)), "purgatory");
  EXPECT_TRUE(world.is_open(1));
}

TEST(PolicyStates, ThatExpiredComeBackFromPeopleButNotFromPeers) {
  World world;
  world.serve(1);
  const auto late = state(1, 'b', kStart + 1);
  world.send(late);
  world.pass(30 * 60);
  EXPECT_FALSE(world.holds(late));
  EXPECT_EQ(world.send(late, true), kExpired);
  EXPECT_EQ(world.send(late), "purgatory");
}

TEST(PolicyStates, FromPeersThatAPersonBringsTooHaveTheFullTime) {
  World world;
  world.serve(1);
  const auto both = state(1, 'b', kStart + 1);
  world.send(both, true);
  world.pass(20 * 60);
  EXPECT_EQ(world.send(both), kDuplicate);
  world.pass(20 * 60);
  EXPECT_TRUE(world.holds(both));
  EXPECT_EQ(world.send(both), kDuplicate);  // once
  world.pass(20 * 60);
  EXPECT_FALSE(world.holds(both));
}

TEST(PolicyStates, ReplacedWhileTheyAreReleasedKeepTheNewerOne) {
  World world;
  world.serve(1);
  const auto older = state(1, 'b', kStart + 1), newer = state(1, 'c', kStart + 2);
  world.send(older);
  world.send(newer);
  world.release({older});
  EXPECT_TRUE(world.holds(newer));
  world.restart();
  EXPECT_TRUE(world.holds(newer));
}

TEST(PolicyStates, ThatCouldNotBeWrittenLeaveWhatWasThere) {
  World world;
  world.serve(1);
  const auto held = state(1, 'b', kStart + 1);
  world.send(held);
  world.send_in_vain(state(1, 'c', kStart + 2));
  EXPECT_TRUE(world.holds(held));
  EXPECT_EQ(world.ruling(1), held->event.id);
}

TEST(PolicyStates, AreBoundedPerAuthor) {
  PolicyOptions with = options();
  with.purgatory.events_per_author_max = 2;
  World world(with);
  EXPECT_EQ(world.send(announcement(1)), "purgatory");
  EXPECT_EQ(world.send(state(1)), "purgatory");
  EXPECT_EQ(world.send(announcement(1, {.identifier = "second"})),
            "rate-limited: too many of your events wait for git data; push some first");
  EXPECT_EQ(world.send(state(1, 'b', kStart + 1)), "purgatory");  // takes the place of its own
  EXPECT_EQ(world.send(announcement(2)), "purgatory");
}

}  // namespace policy_states_test
}  // namespace graspd::grasp
