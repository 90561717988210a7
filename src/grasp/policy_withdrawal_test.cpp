#include <functional>
#include <gtest/gtest.h>

#include "grasp/held_threads.h"
#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_withdrawal_test {

using namespace testing;

std::string id(const nostr::WireEventPtr& wire) { return wire->event.id.hex(); }
std::string state_address(std::uint32_t who) { return "30618:" + author(who).hex() + ":project"; }
nostr::WireEventPtr vanish(std::uint32_t who, core::UnixSeconds at) {
  return event(who, 62, at, tags({{"relay", "ALL_RELAYS"}}));
}
nostr::WireEventPtr passing_state(std::uint32_t who, core::UnixSeconds until) {
  return event(who, 30618, kStart,
               tags({{"d", "project"},
                     {"refs/heads/main", oid('a')},
                     {"expiration", std::to_string(until)}}));
}

// The only state of the repository of 1 is signed by 2, a maintainer.
struct Signed {
  World world;
  nostr::WireEventPtr announced = announcement(1, {.maintainers = {2}});
  nostr::WireEventPtr only;

  explicit Signed(nostr::WireEventPtr state) : only(std::move(state)) {
    world.send(announced);
    world.send(only);
    world.release({announced, only});
    EXPECT_TRUE(world.has(announced));
    EXPECT_TRUE(world.has(only));
  }
  bool is_withdrawn() {
    return !world.has(announced) && world.holds(announced) && !world.has(only) &&
           !world.ruling(1) && world.notes("removal/").size() == 1 &&
           world.notes("threads/").size() == 1;
  }
};

struct End {
  const char* name;
  nostr::WireEventPtr state;
  std::function<void(Signed&)> comes;
};

const End kEnds[] = {
    {"deleted by id", state(2),
     [](Signed& here) { here.world.send(deletion(2, {{"e", id(here.only)}}, kStart + 1)); }},
    {"deleted by address", state(2),
     [](Signed& here) { here.world.send(deletion(2, {{"a", state_address(2)}}, kStart + 1)); }},
    {"expired", passing_state(2, kStart + 50), [](Signed& here) { here.world.pass(60); }},
    {"expired while nobody was here", passing_state(2, kStart + 50),
     [](Signed& here) {
       here.world.now += 60;
       here.world.restart();
       here.world.pass(1);
     }},
    {"of somebody who vanished", state(2),
     [](Signed& here) { here.world.send(vanish(2, kStart + 1)); }},
    {"deleted just before a crash", state(2),
     [](Signed& here) { here.world.send_last(deletion(2, {{"e", id(here.only)}}, kStart + 1)); }},
};

TEST(PolicyWithdrawal, OfARepositoryWhoseOnlyStateEnds) {  // R1 of grasp/withdrawal.h
  for (const End& end : kEnds)
    for (const bool restarted : {false, true}) {
      SCOPED_TRACE(end.name);
      Signed here(end.state);
      World& world = here.world;
      end.comes(here);
      EXPECT_TRUE(here.is_withdrawn());
      if (restarted) {
        EXPECT_EQ(world.contents(), world.contents_after_restart());
        world.restart();
        EXPECT_TRUE(here.is_withdrawn());
      }
      EXPECT_NE(world.send(here.only), "stored");
      EXPECT_FALSE(world.ruling(1));
      const auto next = state(1, 'b', world.now + 5);
      world.now += 5;
      EXPECT_EQ(world.send(next), "purgatory");
      EXPECT_FALSE(world.has(here.announced));
      world.release({here.announced, next});
      EXPECT_TRUE(world.has(here.announced));
      EXPECT_EQ(world.ruling(1), next->event.id);
      EXPECT_EQ(world.performed.recalled_threads, std::vector{coordinate(1)});
      EXPECT_EQ(world.notes("removal/").size(), 0U);
      EXPECT_EQ(world.contents(), world.contents_after_restart());
    }
}

TEST(PolicyWithdrawal, IsSparedThoseWhomAnotherStateRules) {  // R3 of grasp/withdrawal.h
  Signed here(state(2));
  World& world = here.world;
  world.serve(3);  // of the same name
  const auto own = state(1, 'b', kStart + 1);
  world.send(own);
  world.release({own});
  world.send(deletion(1, {{"e", id(own)}}, kStart + 2));
  EXPECT_EQ(world.ruling(1), here.only->event.id);
  EXPECT_TRUE(world.has(here.announced));
  world.send(deletion(2, {{"a", state_address(2)}}, kStart + 3));
  EXPECT_TRUE(here.is_withdrawn());
  EXPECT_TRUE(world.is_open(3));
  EXPECT_TRUE(world.known().is_served(coordinate(3)));
}

TEST(PolicyWithdrawal, ByAddressNeverBringsAnOlderStateBack) {
  Signed here(state(2));
  World& world = here.world;
  const auto newer = state(2, 'b', kStart + 1);
  world.send(newer);
  world.release({newer});
  EXPECT_EQ(world.notes("history/30618").size(), 1U);
  world.send(deletion(2, {{"a", state_address(2)}}, kStart + 2));
  EXPECT_FALSE(world.has(newer));
  EXPECT_TRUE(here.is_withdrawn());
  EXPECT_EQ(world.notes("history/30618").size(), 0U);
  EXPECT_NE(world.send(here.only), "purgatory");
}

TEST(PolicyWithdrawal,
     KeepsDataAndThreadsForAWhile) {  // R2 of grasp/withdrawal.h
  Signed here(state(2));
  World& world = here.world;
  world.send(deletion(2, {{"e", id(here.only)}}, kStart + 1));
  const auto& limits = options().purgatory;
  world.pass(limits.patience + 1);
  EXPECT_FALSE(world.is_open(1));  // asleep
  EXPECT_TRUE(world.performed.asleep.empty());
  world.pass(limits.sleep + 1);
  EXPECT_FALSE(world.holds(here.announced));
  EXPECT_TRUE(world.performed.purge.empty());
  EXPECT_TRUE(world.performed.lost_threads.empty());
  world.pass(options().removal_grace);
  EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
  EXPECT_EQ(world.performed.lost_threads, std::vector{coordinate(1)});
}

TEST(PolicyWithdrawal, ComesWithTheOlderAnnouncementThatADeletionBringsBack) {
  Signed here(state(2));
  World& world = here.world;
  const auto newer = announcement(1, {.at = kStart + 5, .maintainers = {2}});
  world.send(newer);
  const auto own = state(1, 'b', kStart + 1);
  world.send(own);
  world.release({own});
  world.send(deletion(2, {{"e", id(here.only)}}, kStart + 6));
  EXPECT_TRUE(world.has(newer));
  world.send(deletion(1, {{"e", id(newer)}, {"e", id(own)}}, kStart + 6));
  EXPECT_FALSE(world.has(newer));
  EXPECT_TRUE(here.is_withdrawn());
}

TEST(PolicyDeletions, ReachWhatIsKeptApart) {  // R12
  World world;
  world.serve(1);
  const auto pull = pull_request(9, 1), other = pull_request(8, 1);
  for (const auto& wire : {pull, other}) {
    world.send(wire);
    world.release({wire});
  }
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  std::vector<store::Note> kept;
  for (const auto& wire : {pull, other})
    kept.push_back(
        *held_threads::keeping(coordinate(1), wire->event.id, **world.store().snapshot()));
  ASSERT_TRUE(
      world.store().write({{}, std::vector{pull->event.id, other->event.id}, kept, {}}, world.now));
  world.performed.lost_pulls.clear();
  EXPECT_EQ(world.send(deletion(9, {{"e", id(pull)}, {"e", id(other)}}, kStart + 2)), "stored");
  EXPECT_EQ(world.performed.lost_pulls, std::vector{pull->event.id});
  EXPECT_EQ(world.notes("held/").size(), 2U);  // what is left of its refs goes with its return
}

TEST(PolicyThreads, LetAStateWaitWithItsRepository) {  // R12
  World world;
  world.serve(1);
  const auto first = state(1);
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  Transition gone;
  world.policy().states_ended({coordinate(1)}, gone);
  ASSERT_TRUE(world.store().write({{}, std::vector{first->event.id}, {}, {}}, world.now));
  world.policy().commit();
  const auto again = announcement(1, {.at = kStart + 2});
  EXPECT_EQ(world.send(again), "purgatory");
  Transition changes;
  world.policy().await_again(first, world.now, changes);
  world.policy().await_again(state(7), world.now, changes);  // who has no say
  EXPECT_TRUE(world.holds(first));
  EXPECT_EQ(world.known().purgatory().states().by(author(7)).size(), 0U);
  EXPECT_EQ(world.ruling(1), first->event.id);
  EXPECT_FALSE(world.has(first));
  world.release({again, first});
  EXPECT_TRUE(world.has(first));
  EXPECT_TRUE(world.has(again));
}

}  // namespace policy_withdrawal_test
}  // namespace graspd::grasp
