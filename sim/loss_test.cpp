// Ways in which events were lost without a word: each is a small world in which the relay was
// called in sync while something of it was missing.
#include <gtest/gtest.h>

#include "sim/village.h"
#include "web/sync_summary.h"

namespace graspd::sim {
namespace {

const sync::PeerInformation kGrasp{.supported_nips = std::vector<int>{1, 11},
                                   .supported_grasps = {"GRASP-01"}};

bool is_called_in_sync(World& world) {
  return sync::summary_of(world.status(kA), world.unix_now()).tone == sync::Tone::Good;
}

// Announcements of one second: no question tells them apart.
void announce_two(World& world) {
  world.publish(kA, announcement(20, 2, {kA}, kWorldBegins - 10'000));
  world.publish(kA, announcement(21, 3, {kA}, kWorldBegins - 10'000));
  world.publish(kA, issue(22, 2, kWorldBegins - 8000));
  world.publish(kA, issue(23, 3, kWorldBegins - 8000));
}

TEST(Loss, ARelayThatSaysThereIsMoreIsBelieved) {
  Village village({.hints = true, .negentropy = Negentropy::Absent, .cap_in_trouble = 1},
                  without_daily(), 2);
  World& world = village.world;
  announce_two(world);
  world.start();
  world.run(30min);
  EXPECT_FALSE(world.is_complete());
  EXPECT_FALSE(is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(village.completes(4h));
}

TEST(Loss, WhatLookedWholeIsReadAgainWhenTheRelayTurnsOutToGiveNoMore) {
  Village village({.negentropy = Negentropy::Absent, .cap_in_trouble = 2}, without_daily(), 0);
  World& world = village.world;
  for (std::uint64_t i = 0; i < 3; ++i) world.publish(kA, issue(30 + i, 1, kWorldBegins - 7000));
  for (std::uint64_t i = 0; i < 5; ++i) {  // what shows how little it gives
    world.publish(kA, comment(40 + i, "a", repo_address(1).text(),
                              kWorldBegins - 9000 - static_cast<core::UnixSeconds>(i)));
  }
  world.start();
  world.run(1h);
  EXPECT_TRUE(world.is_complete() || !is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(village.completes(4h));
}

TEST(Loss, ALoneEventIsDoubtedUntilTheRelayGaveTwoAtOnce) {
  World world(1, without_daily());
  world.add_peer(kA, {.negentropy = Negentropy::Absent, .cap_in_trouble = 1});
  announce_two(world);
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  world.start();
  world.run(5min);
  world.publish(kA, issue(50, 1, world.unix_now()));
  world.run(10min);
  EXPECT_FALSE(world.is_complete());
  EXPECT_FALSE(is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(world.run_until([&] { return world.is_complete(); }, 4h));
}

// It has two announcements of one second and gives one of them, which we refuse.
TEST(Loss, AnEventThatWeRefusedTellsTooWhetherTheRelayHoldsBack) {
  for (const bool is_first : {false, true}) {
    Village village({.negentropy = Negentropy::Absent, .cap_in_trouble = 1}, without_daily(), 0);
    World& world = village.world;
    world.publish(kA, announcement(20, 2, {kB}, kWorldBegins - 10'000, is_first));
    world.publish(kA, announcement(21, 3, {kB}, kWorldBegins - 10'000, !is_first));
    world.start();
    world.run(30min);
    EXPECT_TRUE(world.is_complete() || !is_called_in_sync(world));
    world.heal();
    EXPECT_TRUE(village.completes(4h));
  }
}

TEST(Loss, ARelayThatShowedOneEventOnlyIsReadAgain) {
  World world(1, without_daily());
  world.add_peer(kA, {.negentropy = Negentropy::Absent, .cap_in_trouble = 1});
  announce_two(world);
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  world.start();
  world.run(5min);
  world.heal();
  EXPECT_TRUE(world.run_until([&] { return world.is_complete(); }, 4h));
}

TEST(Loss, ARepositoryThatLeavesAndReturnsWhileItIsReadIsReadAnew) {
  Village village({.negentropy = Negentropy::Absent, .first_frame = 60s}, without_daily());
  World& world = village.world;
  world.start();
  world.run(65s);  // the first answers are here, others are on the way
  world.accept(announcement(60, 1, {}, kWorldBegins + 60, false));
  world.run(20s);
  const auto missed = comment(61, "a", repo_address(1).text(), world.unix_now());
  const auto thread = issue(62, 1, world.unix_now());
  world.publish(kA, missed);
  world.publish(kA, thread);
  world.run(1s);
  world.accept(announcement(63, 1, {kA}, world.unix_now()));
  world.run(1h);
  EXPECT_TRUE(world.has(missed));
  EXPECT_TRUE(world.has(thread));
  EXPECT_TRUE(world.is_complete());
}

TEST(Loss, AnOldEventThatIsPublishedDuringAPageDoesNotHideWhatIsOlderThanThePage) {
  Village village({.cap = 30, .negentropy = Negentropy::Absent, .first_frame = 20s},
                  without_daily(), 200);
  World& world = village.world;
  for (int i = 1; i < 60; ++i) {
    world.at(5s * i, [&village, &world, i] {
      world.publish(kA,
                    comment(village.number++, "E", village.root.id.hex(), kWorldBegins - 8000 - i));
    });
  }
  world.start();
  world.run(2h);
  EXPECT_TRUE(world.is_complete());
}

// What came was not stored, and the relay never ended its answer: the page counts for nothing.
TEST(Loss, APageThatWeFailedToStoreIsReadAgainThoughItNeverEnded) {
  Village village({.negentropy = Negentropy::Absent, .never_eose = true}, without_daily());
  World& world = village.world;
  for (std::uint64_t i = 0; i < 9; ++i)
    world.publish(kA, issue(70 + i, 1, kWorldBegins - 90000 + static_cast<core::UnixSeconds>(i)));
  world.store_fails = true;
  world.start();
  world.run(10min);
  EXPECT_EQ(world.intake().stored().size(), 1u);  // the announcement that was here before
  world.store_fails = false;
  world.heal();
  EXPECT_TRUE(world.run_until([&] { return world.is_complete(); }, 4h));
}

// It gave many at a time before, so that a few looked like all there is.
TEST(Loss, ASecondInWhichARelayHeldBackStaysAGapUntilItGivesMore) {
  Village village({.negentropy = Negentropy::Absent}, without_daily());
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.peer(kA).habits.cap_in_trouble = 2;
  for (std::uint64_t i = 0; i < 3; ++i) world.publish(kA, issue(70 + i, 2, kWorldBegins - 700));
  for (std::uint64_t i = 0; i < 6; ++i)
    world.publish(kA, issue(80 + i, 2, kWorldBegins - 600 + static_cast<core::UnixSeconds>(i)));
  world.accept(announcement(60, 2, {kA}, world.unix_now()));
  world.run(2h);
  EXPECT_FALSE(world.is_complete());
  EXPECT_FALSE(is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(world.run_until([&] { return world.is_complete(); }, 4h));
}

// Copies of an event are one event: they do not show that the relay gives more.
TEST(Loss, ARelayThatSendsEverythingTwiceStillHoldsBack) {
  Village village({.negentropy = Negentropy::Absent, .cap_in_trouble = 10, .sends_twice = true},
                  without_daily(), 30);
  World& world = village.world;
  for (std::uint64_t i = 0; i < 12; ++i) world.publish(kA, issue(70 + i, 2, kWorldBegins - 700));
  for (std::uint64_t i = 0; i < 30; ++i)
    world.publish(kA, issue(90 + i, 3, kWorldBegins - 600 + static_cast<core::UnixSeconds>(i)));
  world.start();
  world.accept(announcement(60, 2, {kA}, world.unix_now()));
  world.run(30s);
  world.accept(announcement(61, 3, {kA}, world.unix_now()));
  world.run(2h);
  EXPECT_FALSE(world.is_complete());
  EXPECT_FALSE(is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(village.completes(4h));
}

// While it is asked whether the relay has more than it gave, nobody says that this is all.
TEST(Loss, ARelayIsNotInSyncWhileItIsAskedWhetherItHoldsBack) {
  World world(1, without_daily());
  world.add_peer(kA, {.negentropy = Negentropy::Absent, .latency = 20s, .cap_in_trouble = 1});
  world.publish(kA, announcement(20, 2, {kB}, kWorldBegins - 10'000));
  world.publish(kA, announcement(21, 3, {kB}, kWorldBegins - 10'000));
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  world.start();
  world.run(20min);
  EXPECT_TRUE(is_called_in_sync(world));  // all it ever showed is one event
  world.publish(kA, comment(50, "a", repo_address(1).text(), world.unix_now()));
  world.run(30s);  // it came, and the relay did not answer yet
  EXPECT_FALSE(is_called_in_sync(world));
}

// The question whether it holds back is small enough for a relay that keeps little.
TEST(Loss, ARelayThatKeepsFewBytesOfSubscriptionsTellsThatItGivesMoreNow) {
  Village village({.negentropy = Negentropy::Absent, .retained_bytes_max = 3100}, without_daily(),
                  100);
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles(1h));
  world.peer(kA).habits.cap_in_trouble = 5;
  for (std::uint64_t i = 0; i < 7; ++i) world.publish(kA, issue(70 + i, 2, kWorldBegins - 700));
  for (std::uint64_t i = 0; i < 9; ++i)
    world.publish(kA, issue(80 + i, 2, kWorldBegins - 600 + static_cast<core::UnixSeconds>(i)));
  world.accept(announcement(60, 2, {kA}, world.unix_now()));
  world.run(2h);
  EXPECT_FALSE(world.is_complete());
  EXPECT_FALSE(is_called_in_sync(world));
  world.heal();
  EXPECT_TRUE(village.settles(4h));
  EXPECT_TRUE(world.is_complete());
}

// A relay that never answers a live request is read like what rotates, not all the time.
TEST(Loss, ARelayThatNeverSaysThatItListensIsNotAskedAllTheTime) {
  Village village({.negentropy = Negentropy::Absent, .latency = 1200ms, .deaf = true},
                  without_daily());
  World& world = village.world;
  world.start();
  world.run(1h);
  const std::size_t before = world.peer(kA).requests;
  world.run(1h);
  EXPECT_LE(world.peer(kA).requests - before, 60u * 8);
  const auto news = village.say();
  world.run(5min);
  EXPECT_TRUE(world.has(news));
}

TEST(Loss, ARelayWhoseLiveSubscriptionIsRefusedIsNotInSync) {
  Village village;
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  world.run(1min);
  EXPECT_TRUE(is_called_in_sync(world));
  world.peer(kA).habits.refuses_live = true;
  world.close_subscriptions(kA, "error: not now");
  village.say();
  world.run(10min);
  EXPECT_FALSE(is_called_in_sync(world));
  EXPECT_NE(world.status(kA).link, sync::LinkState::Connected);
  world.peer(kA).habits.refuses_live = false;
  EXPECT_TRUE(village.completes(2h));
  world.run(1min);
  EXPECT_TRUE(is_called_in_sync(world));
}

TEST(Loss, WhatRotatedIsReadWhenItComesLive) {
  Village village({.retained_bytes_max = 12'000}, without_daily());
  World& world = village.world;
  for (std::uint64_t i = 0; i < 200; ++i) {
    world.publish(kA, issue(village.number++, 2, kWorldBegins - 3000));
  }
  world.accept(announcement(70, 2, {kA}, kWorldBegins - 9000));
  world.start();
  EXPECT_TRUE(village.completes(1h));
  world.run(30min);
  EXPECT_GT(world.status(kA).rotating_filters, 0u);
  std::vector<nostr::Event> said;
  for (const char* tag : {"e", "E", "q"}) said.push_back(village.say(tag));
  said.push_back(comment(village.number++, "q", repo_address(1).text(), world.unix_now()));
  world.publish(kA, said.back());
  world.accept(announcement(71, 2, {}, world.unix_now(), false));  // the large one goes
  world.run(30min);
  EXPECT_EQ(world.status(kA).rotating_filters, 0u);
  for (const auto& event : said) EXPECT_TRUE(world.has(event));
}

TEST(Loss, ALiveEventMayBeDatedLongAgoWhereLimitZeroIsRefused) {
  Village village({.refuses_limit_zero = true}, without_daily());
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  const auto old = comment(village.number++, "E", village.root.id.hex(), world.unix_now() - 7200);
  world.publish(kA, old);
  world.run(10s);
  EXPECT_TRUE(world.has(old));
}

TEST(Loss, ARelayThatNeverAnswersALiveRequestIsReadAgainAndAgain) {
  Village village({.deaf = true}, without_daily());
  World& world = village.world;
  world.start();
  world.run(20min);
  const auto news = village.say();
  world.run(15min);
  EXPECT_TRUE(world.has(news));
  world.peer(kA).habits.deaf = false;
  world.run(15min);
  const auto more = village.say();
  world.run(10s);
  EXPECT_TRUE(world.has(more));
}

TEST(Loss, WhatOurOwnStoreFailedToTakeIsAskedForAgain) {
  for (const auto way : {Negentropy::Works, Negentropy::Absent}) {
    Village village({.cap = 20, .negentropy = way}, without_daily());
    World& world = village.world;
    world.start();
    world.run(300ms);
    world.store_fails = true;
    world.run(10s);
    world.store_fails = false;
    EXPECT_TRUE(village.completes(2h));
    EXPECT_TRUE(village.settles(2h));
    world.run(1min);
    world.store_fails = true;
    const auto news = village.say();
    world.run(10s);
    world.store_fails = false;
    world.run(10s);
    EXPECT_FALSE(is_called_in_sync(world));
    world.run(5min);
    EXPECT_TRUE(world.has(news));
    world.store_fails = true;  // and when the connection is lost before the outcome
    const auto last = village.say();
    world.run(25ms);
    world.cut(kA);
    world.run(5s);
    world.store_fails = false;
    world.run(5min);
    EXPECT_TRUE(world.has(last));
  }
}

TEST(Loss, ARefusedValueIsReadWhenItsDayIsOver) {
  World world(1, without_daily());
  world.add_peer(kA, {.negentropy = Negentropy::Absent});
  const auto thread = issue(80, 2, kWorldBegins - 500);
  world.publish(kA, thread);
  world.peer(kA).habits.refuses_value = repo_address(2).text();
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  world.accept(announcement(2, 2, {kA}, kWorldBegins - 9000));
  world.start();
  world.run(1h);
  EXPECT_FALSE(world.has(thread));
  EXPECT_FALSE(is_called_in_sync(world));
  world.peer(kA).habits.refuses_value.clear();
  world.run(25h);
  EXPECT_TRUE(world.has(thread));
  EXPECT_TRUE(is_called_in_sync(world));
}

TEST(Loss, WhatIsFollowedByHandIsReadByTheDailySyncToo) {
  World world(1);
  world.add_peer(kA, {.negentropy = Negentropy::Absent});
  world.peer(kA).habits.refuses_value = repo_address(2).text();
  for (std::uint64_t repo = 1; repo <= 4; ++repo) {
    world.accept(announcement(repo, repo, {kA}, kWorldBegins - 9000));
  }
  world.start();
  world.run(20h);  // the refused value is parked; those that were asked for with it are split
  world.peer(kA).habits.lose_live_one_in = 1;
  std::vector<nostr::Event> lost;
  for (const std::uint64_t repo : {1, 3, 4}) {
    lost.push_back(issue(90 + repo, repo, world.unix_now()));
    world.publish(kA, lost.back());
  }
  world.run(6h);
  for (const auto& event : lost) EXPECT_TRUE(world.has(event));
}

TEST(Loss, ARelayThatTurnsOutToBeAGraspServerIsReadAnew) {
  Village village({.negentropy = Negentropy::Absent}, without_daily());
  World& world = village.world;
  const auto early = state(100, 2, kWorldBegins - 500);
  world.publish(kA, early);
  world.start();
  EXPECT_TRUE(village.settles());
  world.peer(kA).habits.information = kGrasp;  // could not be read before
  world.cut(kA);
  world.run(2min);
  world.accept(announcement(101, 2, {kA}, world.unix_now()));
  world.run(10min);
  EXPECT_TRUE(world.has(early));
}

}  // namespace
}  // namespace graspd::sim
