#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_expiry_test {

using namespace testing;

const std::vector<std::string> kInAnHour{"expiration", std::to_string(kStart + 3600)};

nostr::WireEventPtr expiring_state(std::uint32_t by, core::UnixSeconds at) {
  return event(by, 30618, at, tags({{"d", "project"}, {"refs/heads/main", oid('b')}, kInAnHour}));
}
nostr::WireEventPtr expiring_pull(std::uint32_t by, std::uint32_t owner) {
  return event(by, 1618, kStart, tags({{"a", address(owner)}, {"c", oid('b')}, kInAnHour}));
}

TEST(PolicyExpiry, OfAnAnnouncementTakesTheRepositoryOutOfService) {  // R11
  for (const bool restarted : {false, true}) {
    World world;
    const auto first = world.serve(1);
    const auto last = announcement(1, {.at = kStart + 1, .more = {kInAnHour}});
    EXPECT_EQ(world.send(last), "stored");
    world.pass(3599);
    EXPECT_TRUE(world.is_open(1));
    if (restarted) {
      world.now += 1;
      world.restart();
      world.pass(0);
    } else {
      world.pass(1);
    }
    EXPECT_FALSE(world.is_open(1));
    EXPECT_FALSE(world.has(last));
    EXPECT_EQ(world.notes("removal/").size(), 1U);
    EXPECT_EQ(world.notes("expiring/").size(), 0U);
    EXPECT_EQ(world.send(first), "duplicate: superseded by a newer event");
    world.pass(options().removal_grace);
    EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
  }
}

TEST(PolicyExpiry, EndsWithAVersionThatStays) {  // R11
  World world;
  world.serve(1, {.more = {kInAnHour}});
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 1})), "stored");
  world.pass(3600);
  EXPECT_TRUE(world.is_open(1));
}

TEST(PolicyExpiry, OfAStateEndsItsRule) {  // R11
  for (const bool restarted : {false, true}) {
    World world;
    world.serve(1, {.maintainers = {2}});
    const auto last = expiring_state(2, kStart + 1);
    world.send(last);
    world.release({last});
    EXPECT_EQ(world.ruling(1), last->event.id);
    if (restarted) world.restart();
    world.performed.recheck.clear();
    world.pass(3600);
    EXPECT_EQ(world.ruling(1), state(1)->event.id);
    EXPECT_EQ(world.performed.recheck.size(), 1U);
    EXPECT_FALSE(world.has(last));
  }
}

TEST(PolicyExpiry, OfAPullRequestTakesItsRefs) {  // R11
  for (const bool restarted : {false, true}) {
    World world;
    world.serve(1);
    const auto pull = expiring_pull(9, 1);
    world.send(pull);
    world.release({pull});
    if (restarted) {
      world.now += 4000;
      world.restart();
    }
    world.pass(3600);
    EXPECT_EQ(world.performed.lost_pulls, std::vector{pull->event.id});
  }
}

TEST(PolicyExpiry, OfWhatWaitsEndsTheWaiting) {  // R11
  PolicyOptions patient = options();
  patient.purgatory.patience = 7200;
  World world(patient);
  const auto announced = announcement(1, {.more = {kInAnHour}});
  const auto first = expiring_state(1, kStart);
  world.serve(3);
  const auto pull = expiring_pull(9, 3);
  for (const auto& wire : {announced, first, pull}) EXPECT_EQ(world.send(wire), "purgatory");
  world.pass(3600);
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.performed.asleep, std::vector{coordinate(1)});
}

}  // namespace policy_expiry_test
}  // namespace graspd::grasp
