// What is published while a live subscription is not open, and how it is found.
#include <gtest/gtest.h>

#include "sim/village.h"

namespace graspd::sim {
namespace {

TEST(Live, WhatWasPublishedWhileItWasClosedIsReadWhenItIsOpenAgain) {
  for (const char* why : {"error: internal", "rate-limited: slow down", "error: too many results",
                          "auth-required: who are you?", "error: too many concurrent REQs"}) {
    Village village;
    World& world = village.world;
    world.start();
    EXPECT_TRUE(village.settles()) << why;
    world.close_subscriptions(kA, why);
    std::vector<nostr::Event> said;
    for (int i = 0; i < 30; ++i) {
      said.push_back(village.say());
      world.run(1s);
    }
    world.run(10min);
    for (const auto& event : said) EXPECT_TRUE(world.has(event)) << why;
    EXPECT_TRUE(village.settles()) << why;
  }
}

TEST(Live, AReconnectReadsAllThatLiveDidNotBringBefore) {
  Village village;
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.peer(kA).habits.refuses_live = true;
  world.close_subscriptions(kA, "error: not now");
  const auto missed = village.say();
  world.run(3h);
  EXPECT_FALSE(world.has(missed));
  world.peer(kA).habits.refuses_live = false;
  world.cut(kA);
  world.run(2min);
  EXPECT_TRUE(world.has(missed));
}

TEST(Live, WhoseClockIsLateIsHeardWhereLimitZeroIsRefusedToo) {
  Village village({.refuses_limit_zero = true});
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  const auto late = comment(village.number++, "E", village.root.id.hex(), world.unix_now() - 300);
  world.publish(kA, late);
  world.run(1s);
  EXPECT_TRUE(world.has(late));
}

TEST(Live, AGroupThatIsClosedWhileItIsReplacedLosesNothing) {
  Village village({.latency = 2s});
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  const auto other = issue(village.number++, 1, world.unix_now());
  world.publish(kA, other);
  for (int i = 0; i < 300 && world.status(kA).live_subscriptions < 2; ++i) world.run(100ms);
  EXPECT_EQ(world.status(kA).live_subscriptions, 2u);
  world.close_subscriptions(kA, "error: internal");
  const auto missed = village.say();
  world.run(10min);
  EXPECT_TRUE(world.has(missed));
}

TEST(Live, FailedHistoryDoesNotKeepNewRepositoriesWaiting) {
  Village village({.cap = 50, .negentropy = Negentropy::Absent});
  World& world = village.world;
  std::vector<nostr::Event> issues;
  world.start();
  world.run(1min);
  for (std::uint64_t repo = 2; repo < 32; ++repo) {  // each with a second that cannot be read
    const auto thread = issue(village.number++, repo, world.unix_now() - 50);
    issues.push_back(thread);
    world.publish(kA, thread);
    for (int i = 0; i < 60; ++i) {
      world.publish(
          kA, comment(village.number++, "a", repo_address(repo).text(), world.unix_now() - 100));
    }
    world.accept(announcement(village.number++, repo, {kA}, world.unix_now()));
    world.run(10min);
    EXPECT_TRUE(world.has(thread)) << repo;
  }
}

// What nobody listened for is read, though the filters are others when they are open again.
TEST(Live, AValueThatIsRefusedDoesNotHideHowLongTheOthersWereDark) {
  Village village({.negentropy = Negentropy::Absent, .refuses_long_values = true}, without_daily());
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.close_subscriptions(kA, "error: internal");
  world.run(1s);
  const auto unheard = village.say();
  const nostr::Address odd{{30617}, {}, std::string(300, 'x')};
  world.feed(sync::RepoSeen{odd, sync::Level::Full, {kA.text()}, {}});
  world.run(10min);
  EXPECT_TRUE(world.has(unheard));
}

// What was said while we did not read goes with the connection.
TEST(Live, WhatWasNotReadWhenTheConnectionBrokeIsReadAfterwards) {
  Village village({}, without_daily());
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.hold_back(kA, 40min);
  world.run(1min);
  const auto unread = village.say();
  world.run(35min);
  world.cut(kA);
  world.run(10min);
  EXPECT_TRUE(world.has(unread));
}

TEST(Live, ASubscriptionThatEndedWhileWeDidNotReadWasDarkSinceThen) {
  Village village({}, without_daily());
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.hold_back(kA, 40min);
  world.run(1min);
  world.close_subscriptions(kA, "error: internal");
  const auto unheard = village.say();
  world.run(1h);
  EXPECT_TRUE(world.has(unheard));
}

}  // namespace
}  // namespace graspd::sim
