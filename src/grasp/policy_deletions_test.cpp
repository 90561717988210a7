#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_deletions_test {

using namespace testing;

std::string id(const nostr::WireEventPtr& wire) { return wire->event.id.hex(); }
std::string state_address(std::uint32_t who) { return "30618:" + author(who).hex() + ":project"; }
nostr::WireEventPtr vanish(std::uint32_t who, std::string_view relay, core::UnixSeconds at) {
  return event(who, 62, at, tags({{"relay", std::string(relay)}}));
}

TEST(PolicyDeletions, TakeARepositoryOutOfServiceAtOnceAndItsDataLater) {  // R5
  for (const bool by_address : {true, false}) {
    World world;
    const auto announced = world.serve(1);
    const Rows target = by_address ? Rows{{"a", address(1)}} : Rows{{"e", id(announced)}};
    EXPECT_EQ(world.send(deletion(1, target, kStart + 1)), "stored");
    EXPECT_FALSE(world.has(announced));
    EXPECT_FALSE(world.is_open(1));
    EXPECT_EQ(world.policy().catalog().served_repos(), 0U);
    world.pass(options().removal_grace - 1);
    EXPECT_TRUE(world.performed.purge.empty());
    world.restart();  // the term is kept
    world.pass(1);
    EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
    EXPECT_EQ(world.notes("removal/").size(), 0U);
    EXPECT_EQ(world.send(announced), "blocked: this event is deleted");
  }
}

TEST(PolicyDeletions, TakeFullEffectThoughTheServerDiesAtOnce) {
  for (const bool all : {false, true}) {
    World world;
    const auto older = world.serve(1);
    const auto served = announcement(1, {.at = kStart + 1});
    const auto waiting = announcement(1, {.identifier = "waits"}), held = state(1, 'b', kStart + 1);
    for (const auto& wire : {served, waiting, held}) world.send(wire);
    const Rows targets = {{"e", id(served)}, {"e", id(older)}, {"e", id(waiting)}, {"e", id(held)}};
    world.send_last(all ? vanish(1, "ALL_RELAYS", kStart + 5) : deletion(1, targets, kStart + 5));
    EXPECT_FALSE(world.is_open(1));
    EXPECT_EQ(world.known().purgatory().size(), 0U);
    EXPECT_NE(world.send(older), "purgatory");
    world.pass(1);
    EXPECT_EQ(world.performed.purge, std::vector{coordinate(1, "waits")});
    EXPECT_EQ(world.notes("purgatory/").size(), 0U);
    world.pass(options().removal_grace);
    EXPECT_EQ(world.performed.purge.size(), 2U);
  }
}

TEST(PolicyDeletions, OfTheNewestVersionByItsIdBringTheOneBeforeItBack) {  // R10
  World world;
  const auto older = world.serve(1, {.maintainers = {2}});
  const auto newer = announcement(1, {.at = kStart + 5, .maintainers = {3}});
  world.send(newer);
  EXPECT_FALSE(world.may_rule(2, 1));
  EXPECT_EQ(world.send(deletion(1, {{"e", id(newer)}}, kStart + 6)), "stored");
  EXPECT_TRUE(world.has(older));
  EXPECT_FALSE(world.has(newer));
  EXPECT_TRUE(world.is_open(1));
  EXPECT_TRUE(world.may_rule(2, 1));
  EXPECT_FALSE(world.may_rule(3, 1));
  EXPECT_EQ(world.notes("removal/").size(), 0U);
  EXPECT_EQ(world.notes("history/").size(), 0U);
  for (const bool restarted : {false, true}) {
    if (restarted) world.restart();
    EXPECT_TRUE(world.is_open(1));
    EXPECT_EQ(world.send(older), "duplicate: already have this event");
    EXPECT_EQ(world.send(announcement(1, {.at = kStart + 3})),  // acceptance.md §12.1
              "duplicate: superseded by a newer event");
  }
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 7})), "stored");
}

TEST(PolicyDeletions, BringBackTheNewestThatIsLeft) {  // R10
  World world;
  const auto first = world.serve(1);
  Events later;
  for (int i = 1; i <= 3; ++i) later.push_back(announcement(1, {.at = kStart + i}));
  world.send(later[0]);
  world.send_together({later[1], later[2]});
  world.send(deletion(1, {{"e", id(later[2])}, {"e", id(later[0])}}, kStart + 9));
  EXPECT_TRUE(world.has(later[1]));
  world.send(deletion(1, {{"e", id(later[1])}}, kStart + 9));
  EXPECT_TRUE(world.has(first));
  world.send(deletion(1, {{"e", id(first)}}, kStart + 9));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.notes("history/").size(), 0U);
  EXPECT_EQ(world.notes("removal/").size(), 1U);
}

TEST(PolicyDeletions, BringBackThoughTheServerDiesAtOnce) {  // R10
  World world;
  const auto older = world.serve(1), newer = announcement(1, {.at = kStart + 1});
  const auto newest = state(1, 'b', kStart + 2);
  world.send(newer);
  world.send(newest);
  world.release({newest});
  world.send_last(deletion(1, {{"e", id(newer)}, {"e", id(newest)}}, kStart + 3));
  EXPECT_TRUE(world.is_open(1));
  EXPECT_TRUE(world.has(older));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_EQ(world.send(state(1, 'c', kStart + 1)), "duplicate: superseded by a newer event");
}

TEST(PolicyDeletions, OfTheNewestStateByItsIdLetTheOneBeforeItRule) {  // R10
  World world;
  world.serve(1);
  world.serve(2);
  const auto second = state(1, 'b', kStart + 5);
  world.send(second);
  world.release({second});
  world.performed.recheck.clear();
  world.send(deletion(1, {{"e", id(second)}}, kStart + 6));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_TRUE(world.has(state(1)));
  EXPECT_EQ(world.performed.recheck.size(), 1U);
  EXPECT_EQ(world.ruling(2), state(2)->event.id);  // acceptance.md §11.3
  const auto between = state(1, 'c', kStart + 3);
  EXPECT_EQ(world.send(between), "duplicate: superseded by a newer event");
  world.restart();
  EXPECT_EQ(world.send(between), "duplicate: superseded by a newer event");
  EXPECT_EQ(world.send(state(1, 'd', kStart + 7)), "purgatory");
}

TEST(PolicyDeletions, ByAddressOrOfEverythingBringNothingBack) {  // R10
  for (const bool all : {false, true}) {
    World world;
    world.serve(1);
    const auto second = state(1, 'b', kStart + 1), newer = announcement(1, {.at = kStart + 1});
    world.send(second);
    world.release({second});
    world.send(newer);
    EXPECT_EQ(world.notes("history/").size(), 2U);
    world.send(all ? vanish(1, "ALL_RELAYS", kStart + 2)
                   : deletion(1, {{"a", state_address(1)}, {"a", address(1)}}, kStart + 2));
    EXPECT_FALSE(world.is_open(1));
    EXPECT_FALSE(world.ruling(1));
    EXPECT_EQ(world.notes("history/").size(), 0U);
  }
}

TEST(PolicyDeletions, BringNoStateBackOfWhoHasNoSayAnyMore) {  // R10
  World world;
  world.serve(1, {.maintainers = {2}});
  const auto first = state(2, 'b', kStart + 1), second = state(2, 'c', kStart + 2);
  for (const auto& wire : {first, second}) {
    world.send(wire);
    world.release({wire});
  }
  world.send(announcement(1, {.at = kStart + 3}));
  world.send(deletion(2, {{"e", id(second)}}, kStart + 4));
  EXPECT_FALSE(world.has(first));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
}

TEST(PolicyDeletions, AfterAMoveBringNothingBackFromBeforeIt) {  // R10
  World world;
  world.serve(1);
  world.send(announcement(1, {.at = kStart + 1}));
  world.send(announcement(1, {.at = kStart + 2, .listed = false}));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.notes("history/30617").size(), 0U);
  world.send(
      announcement(1, {.at = kStart + 6, .listed = false}));  // refused, and still the newest
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 4})),
            "duplicate: superseded by a newer event");
}

TEST(PolicyDeletions, FindSoManyVersionsOnly) {  // R10
  World world;
  world.serve(1);
  const int many = static_cast<int>(history::kVersionsMax) + 3;
  for (int i = 1; i <= many; ++i) world.send(announcement(1, {.at = kStart + i}));
  const auto kept = world.notes("history/");
  EXPECT_EQ(kept.size(), history::kVersionsMax);
  EXPECT_TRUE(kept.back().find(id(announcement(1, {.at = kStart + many - 1}))) != kept.back().npos);
}

TEST(PolicyDeletions, AreUndoneByANewAnnouncementWithinTheGracePeriod) {  // R5
  World world;
  world.serve(1);
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  world.restart();
  const auto again = announcement(1, {.at = kStart + 2});
  EXPECT_EQ(world.send(again), "purgatory");
  EXPECT_TRUE(world.is_open(1));
  world.release({again});
  world.pass(options().removal_grace);
  EXPECT_TRUE(world.performed.purge.empty());
}

TEST(PolicyDeletions, OfWhatWaitsTakeEffectAtOnce) {
  World world;
  const auto announced = announcement(1), first = state(1);
  world.send(announced);
  world.send(first);
  world.send(deletion(1, {{"e", id(first)}}, kStart + 1));
  EXPECT_FALSE(world.ruling(1));
  EXPECT_EQ(world.send(first), "blocked: this event is deleted");
  world.send(deletion(1, {{"e", id(announced)}}, kStart + 1));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);

  world.serve(2);
  const auto pull = pull_request(9, 2);
  world.send(pull);
  world.send(deletion(8, {{"e", id(pull)}}, kStart + 1));  // not theirs
  EXPECT_TRUE(world.holds(pull));
  world.send(deletion(9, {{"e", id(pull)}}, kStart + 1));
  EXPECT_FALSE(world.holds(pull));
}

TEST(PolicyDeletions, ByAddressReachUpToTheirTime) {
  World world;
  world.serve(1);
  const auto later = state(1, 'b', kStart + 10);
  world.send(later);
  world.send(deletion(1, {{"a", state_address(1)}, {"a", address(1)}}, kStart + 5));
  EXPECT_TRUE(world.holds(later));
  EXPECT_FALSE(world.has(state(1)));
  EXPECT_FALSE(world.is_open(1));
}

TEST(PolicyDeletions, ThatArriveTogetherWithTheirTargetTakeEffectWhateverTheOrder) {
  const auto announced = announcement(1);
  const auto gone = deletion(1, {{"e", id(announced)}}, kStart + 1);
  for (const Events& order : {Events{announced, gone}, Events{gone, announced}}) {
    World world;
    world.send_together(order);
    EXPECT_FALSE(world.is_open(1));
    EXPECT_EQ(world.known().purgatory().size(), 0U);
  }
}

TEST(PolicyDeletions, OfOthersEventsAreRefused) {
  World world;
  const auto announced = world.serve(1);
  EXPECT_EQ(world.send(deletion(2, {{"e", id(announced)}})),
            "invalid: cannot delete event authored by another pubkey");
  EXPECT_EQ(world.send(deletion(2, {{"a", address(1)}}, kStart + 1)), "stored");  // says nothing
  EXPECT_TRUE(world.is_open(1));
  EXPECT_TRUE(world.has(announced));
}

TEST(PolicyDeletions, WithTooManyTargetsAreRefused) {
  Rows targets(2049, {"e", std::string(64, 'f')});
  EXPECT_EQ(World().send(deletion(1, targets)), "invalid: too many deletion targets");
  targets.pop_back();
  EXPECT_EQ(World().send(deletion(1, targets)), "stored");
}

TEST(PolicyDeletions, TouchNobodyElseOfTheSameName) {  // acceptance.md §11.3
  World world;
  world.serve(1);
  world.serve(2);
  const auto waiting = state(2, 'b', kStart + 1);
  world.send(waiting);
  world.send(deletion(1, {{"a", address(1)}, {"a", state_address(1)}}, kStart + 5));
  world.send(deletion(3, {{"a", state_address(3)}}, kStart + 5));
  EXPECT_TRUE(world.is_open(2));
  EXPECT_TRUE(world.holds(waiting));
  EXPECT_EQ(world.ruling(2), waiting->event.id);
}

TEST(PolicyDeletions, OfAStateLetAnotherOneRule) {
  World world;
  world.serve(1, {.maintainers = {2}});
  const auto newest = state(2, 'b', kStart + 1);
  world.send(newest);
  world.release({newest});
  EXPECT_EQ(world.ruling(1), newest->event.id);
  world.performed.recheck.clear();
  world.send(deletion(2, {{"a", state_address(2)}}, kStart + 2));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_EQ(world.performed.recheck.size(), 1U);
}

TEST(PolicyDeletions, OfAPullRequestTakeItsRefs) {
  World world;
  const auto announced = world.serve(1);
  const auto pull = pull_request(9, 1);
  world.send(pull);
  world.release({pull});
  world.send(
      deletion(9, {{"e", id(pull)}, {"e", id(announced)}}, kStart + 1));  // refused as a whole
  EXPECT_TRUE(world.performed.lost_pulls.empty());
  world.send_in_vain(deletion(9, {{"e", id(pull)}}, kStart + 1));
  EXPECT_TRUE(world.performed.lost_pulls.empty());
  world.send(deletion(9, {{"e", id(pull)}}, kStart + 1));
  EXPECT_EQ(world.performed.lost_pulls, std::vector{pull->event.id});
}

TEST(PolicyDeletions, OfAPullRequestThatIsBeingReleasedTakeItsRefsToo) {
  World world;
  world.serve(1);
  const auto pull = pull_request(9, 1);
  world.send(pull);
  ASSERT_TRUE(world.store().write(
      std::vector<store::Write>{{deletion(9, {{"e", id(pull)}}, kStart + 1), false}}, kStart));
  world.release({pull});
  EXPECT_EQ(world.performed.lost_pulls, std::vector{pull->event.id});
  EXPECT_EQ(world.known().purgatory().size(), 0U);
}

TEST(PolicyDeletions, OfAGuestEndWhatItExtended) {
  World world;
  world.serve(1, {.maintainers = {2}});
  const auto guest = announcement(2, {.maintainers = {3}, .listed = false});
  world.send(guest);
  EXPECT_TRUE(world.may_rule(3, 1));
  world.send(deletion(2, {{"e", id(guest)}}, kStart + 1));
  EXPECT_FALSE(world.may_rule(3, 1));
  EXPECT_TRUE(world.may_rule(2, 1));
  EXPECT_EQ(world.notes("removal/").size(), 0U);
}

TEST(PolicyDeletions, OfTheHostLeaveItsGuestsWithoutAReasonToChange) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.send(announcement(2, {.listed = false}));
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  EXPECT_NE(world.send(announcement(2, {.at = kStart + 2, .listed = false})), "stored");
  EXPECT_EQ(world.send(state(2, 'b', kStart + 2)),
            "invalid: no announcement exists for this repository");
}

// --- kind 62 ---------------------------------------------------------------------------------

TEST(PolicyVanish, TakesEverythingOfTheAuthor) {
  for (const char* relay : {"ALL_RELAYS", "wss://us.example", "wss://us.example/"}) {
    World world;
    const auto served = world.serve(1);
    world.serve(3, {.maintainers = {1}});
    world.performed.recheck.clear();
    const auto other = announcement(1, {.identifier = "other"}),
               waiting = state(1, 'b', kStart + 1);
    const auto pull = pull_request(1, 3), stored_pull = pull_request(1, 3, 'c');
    for (const auto& wire : {other, waiting, pull, stored_pull}) world.send(wire);
    world.release({stored_pull});
    EXPECT_EQ(world.send(vanish(1, relay, kStart + 5)), "stored");
    EXPECT_FALSE(world.has(served));
    EXPECT_FALSE(world.is_open(1));
    EXPECT_EQ(world.known().purgatory().size(), 0U);
    EXPECT_EQ(world.performed.lost_pulls, std::vector{stored_pull->event.id});
    EXPECT_EQ(world.ruling(3), state(3)->event.id);
    EXPECT_EQ(world.performed.recheck.size(), 2U);
    EXPECT_TRUE(world.is_open(3));
    EXPECT_EQ(world.send(served), "blocked: the author asked to vanish");
    EXPECT_EQ(world.send(announcement(1, {.at = kStart + 6})), "purgatory");  // acceptance.md §11.2
  }
}

TEST(PolicyVanish, FromOtherRelaysIsOnlyKept) {
  World world;
  const auto served = world.serve(1);
  EXPECT_EQ(world.send(vanish(1, "wss://them.example", kStart + 5)), "stored");
  EXPECT_TRUE(world.has(served));
  EXPECT_TRUE(world.is_open(1));
}

TEST(PolicyVanish, SparesWhatIsNewer) {
  World world;
  const auto served = world.serve(1);
  EXPECT_EQ(world.send(vanish(1, "ALL_RELAYS", kStart - 1)), "stored");
  EXPECT_TRUE(world.has(served));
  EXPECT_TRUE(world.is_open(1));
}

}  // namespace policy_deletions_test
}  // namespace graspd::grasp
