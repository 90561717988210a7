#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_requests_test {

using namespace testing;

std::string id(const nostr::WireEventPtr& wire) { return wire->event.id.hex(); }
constexpr const char* kUnserved =
    "duplicate: deletion request is no longer served; it will be re-served when used to reject an "
    "in-scope event";
constexpr const char* kDeleted = "blocked: this event is deleted";

// 1 has deleted an issue; the terms are 100 and 1,000 seconds unused, 10 and 100 days used.
struct Deleted {
  static PolicyOptions short_terms() {
    PolicyOptions with = options();
    with.requests = {100, 1'000, 10 * 86'400, 100 * 86'400};
    return with;
  }
  World world{short_terms()};
  nostr::WireEventPtr announced = world.serve(1);
  nostr::WireEventPtr issue = event(1, 1621, kStart, tags({{"a", address(1)}}));
  nostr::WireEventPtr request = deletion(1, {{"e", id(issue)}}, kStart + 1);

  Deleted() {
    EXPECT_EQ(world.send(issue), "stored");
    EXPECT_EQ(world.send(request), "stored");
    EXPECT_FALSE(world.has(issue));
  }
  void live_on(core::UnixSeconds seconds, bool restarted) {
    world.pass(seconds);
    EXPECT_EQ(world.contents(), world.contents_after_restart());
    if (restarted) world.restart();
  }
};

TEST(PolicyRequests,
     AreServedThenRememberedThenForgotten) {  // R1 of grasp/deletion_requests.h
  for (const bool restarted : {false, true}) {
    Deleted here;
    World& world = here.world;
    here.live_on(99, restarted);
    EXPECT_TRUE(world.has(here.request));
    here.live_on(1, restarted);
    EXPECT_FALSE(world.has(here.request));
    EXPECT_EQ(world.send(here.request), kUnserved);
    here.live_on(999, restarted);
    EXPECT_FALSE(world.has(here.request));
    here.live_on(1, restarted);
    EXPECT_FALSE(world.has(here.request));
    EXPECT_TRUE(world.notes("request/").empty());
    EXPECT_EQ(world.send(here.issue), "stored");
  }
}

TEST(PolicyRequests, ThatAreUsedAreServedAgain) {  // R2 of grasp/deletion_requests.h
  for (const bool restarted : {false, true}) {
    Deleted here;
    World& world = here.world;
    here.live_on(500, restarted);
    EXPECT_FALSE(world.has(here.request));
    EXPECT_EQ(world.send(here.issue), kDeleted);
    EXPECT_TRUE(world.has(here.request));
    here.live_on(10 * 86'400 - 1, restarted);
    EXPECT_TRUE(world.has(here.request));
    here.live_on(1, restarted);
    EXPECT_FALSE(world.has(here.request));
    here.live_on(50 * 86'400, restarted);
    EXPECT_EQ(world.send(here.issue), kDeleted);
    EXPECT_TRUE(world.has(here.request));
  }
}

TEST(PolicyRequests, ToVanishAreServedAsLongAsTheyAreObeyed) {  // R6 of grasp/deletion_requests.h
  Deleted here;
  World& world = here.world;
  const auto vanish = event(1, 62, kStart + 5, tags({{"relay", "ALL_RELAYS"}}));
  EXPECT_EQ(world.send(vanish), "stored");
  world.pass(500);
  EXPECT_EQ(world.send(here.issue), "blocked: the author asked to vanish");
  world.pass(109 * 86'400);
  EXPECT_TRUE(world.has(vanish));
  EXPECT_EQ(world.contents(), world.contents_after_restart());
  world.pass(86'400);
  EXPECT_FALSE(world.has(vanish));
  EXPECT_EQ(world.send(here.announced), "purgatory");
}

TEST(PolicyRequests, OfWhichOneIsCreditedTheOneThatCameFirst) {  // R1 of grasp/request_use.h
  Deleted here;
  World& world = here.world;
  world.now += 10;
  const auto second = deletion(1, {{"e", id(here.issue)}}, kStart + 2);
  EXPECT_EQ(world.send(second), "stored");
  EXPECT_EQ(world.send(here.issue), kDeleted);
  world.pass(500);
  EXPECT_TRUE(world.has(here.request));
  EXPECT_FALSE(world.has(second));
}

TEST(PolicyRequests, MayBeIgnored) {  // R19 of grasp/policy.h
  PolicyOptions with = options();
  with.ignores_requests = true;
  World world(with);
  const auto announced = world.serve(1);
  EXPECT_EQ(world.send(deletion(1, {{"a", address(1)}}, kStart + 1)), "stored");
  EXPECT_EQ(world.send(event(1, 62, kStart + 2, tags({{"relay", "ALL_RELAYS"}}))), "stored");
  EXPECT_TRUE(world.is_open(1));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_TRUE(world.notes("removal/").empty());
  EXPECT_TRUE(world.notes("request/").empty());
  EXPECT_TRUE(world.performed.ended_threads.empty());
}

// --- a service that changes its name ------------------------------------------------------------

struct Renamed {
  store::MemoryStore& store;
  PolicyOptions with = options();

  std::size_t stranded() {
    Policy policy(with, store);
    EXPECT_TRUE(policy.load(kStart));
    return policy.current().stranded().repositories;
  }
};

TEST(PolicyService, CountsWhatItsNewNameWouldTakeOutOfService) {  // R18 of grasp/policy.h
  World world;
  world.serve(1);
  world.serve(2);
  Renamed start{world.store()};
  start.with.service = *Service::parse("new.example");
  EXPECT_EQ(start.stranded(), 0U) << "the first start knows no other name";
  world.restart();
  world.pass(1);  // the name is written down
  EXPECT_EQ(start.stranded(), 2U);
  start.with.former_services = {*Service::parse("us.example")};
  EXPECT_EQ(start.stranded(), 0U);
  start.with.service = *Service::parse("us.example");
  EXPECT_EQ(start.stranded(), 0U);
}

}  // namespace policy_requests_test
}  // namespace graspd::grasp
