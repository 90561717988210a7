// Relays that give little at a time, and seconds that hold more than that.
#include <gtest/gtest.h>

#include "sim/village.h"
#include "web/sync_summary.h"

namespace graspd::sim {
namespace {

void storm(Village& village, core::UnixSeconds at, int count, std::string_view tag = "E") {
  for (int i = 0; i < count; ++i) {
    village.world.publish(kA, comment(village.number++, tag, village.root.id.hex(), at));
  }
}

// What no question can tell apart is a gap that is shown and tried again, every second of it.
TEST(Pages, SecondsThatCouldNotBeReadAreAllTriedAgain) {
  Village village({.cap = 50, .negentropy = Negentropy::Absent});
  World& world = village.world;
  storm(village, kWorldBegins - 700, 131);
  storm(village, kWorldBegins - 600, 120);
  world.start();
  world.run(10min);
  EXPECT_FALSE(world.is_complete());
  EXPECT_EQ(world.status(kA).link, sync::LinkState::ConnectedWithGaps);
  world.peer(kA).habits.cap = 5000;
  EXPECT_TRUE(village.completes(3h));
  EXPECT_TRUE(village.settles(3h));
}

TEST(Pages, TheSmallestCapsHideNothingBelowABusySecond) {
  for (std::size_t cap = 2; cap <= 20; ++cap) {
    Village village({.cap = cap, .negentropy = Negentropy::Absent}, {}, 30);
    for (const char* tag : {"e", "E", "q"}) {
      storm(village, kWorldBegins - 3500, static_cast<int>(cap) - 1, tag);
    }
    village.world.start();
    EXPECT_TRUE(village.completes(2h)) << "cap " << cap;
  }
}

TEST(Pages, IdsAreFetchedFromWhoGivesFewAtATime) {
  for (const std::size_t cap : {1u, 3u, 10u}) {
    Village village({.cap = cap}, {}, 120);
    village.world.start();
    EXPECT_TRUE(village.completes(1h)) << cap;
    EXPECT_EQ(village.world.status(kA).meter.ids_lost, 0u) << cap;
  }
}

// It gives one event at a time, and sometimes one more that nobody asked for.
TEST(Pages, AnAnswerThatLacksWhatTheRelayGaveBeforeProvesNothing) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    World world(seed, {.bootstrap = {kA}});
    world.add_peer(kA, {.negentropy = Negentropy::Absent, .stray_one_in = 3, .cap_in_trouble = 1});
    for (std::uint64_t repo = 1; repo <= 4; ++repo) {
      const auto at = kWorldBegins - 9000 + static_cast<core::UnixSeconds>(repo);
      world.publish(kA, announcement(repo, repo, {}, at));
    }
    world.start();
    world.run(10min);
    const bool is_in_sync =
        sync::summary_of(world.status(kA), world.unix_now()).tone == sync::Tone::Good;
    EXPECT_TRUE(world.is_complete() || !is_in_sync) << seed;
  }
}

// That answers which looked whole were not is known from one connection to the next.
TEST(Pages, WhatIsToBeReadAgainIsReadAgainThoughTheConnectionBreaksBefore) {
  Village village({.negentropy = Negentropy::Absent}, without_daily(), 5);
  World& world = village.world;
  std::uint64_t repo = 2;
  const auto publish = [&](int count, core::UnixSeconds apart) {
    for (int i = 0; i < count; ++i) {
      world.publish(kA, issue(village.number++, repo, kWorldBegins - 5000 + i * apart));
    }
    world.accept(announcement(village.number++, repo++, {kA}, world.unix_now()));
    world.run(1min);
  };
  world.start();
  for (std::uint64_t times = 1; times <= 2; ++times) {  // at the second time, it waits for a minute
    world.peer(kA).habits.cap = 30;
    publish(30, 1);
    world.peer(kA).habits.cap = 5;
    publish(7, 0);   // five of them look whole
    publish(20, 1);  // until these tell that it gives no more
    EXPECT_EQ(world.status(kA).meter.rereads, times);
  }
  world.cut(kA);
  world.run(1s);
  world.peer(kA).habits.cap = 500;
  EXPECT_TRUE(village.completes(4h));
}

}  // namespace
}  // namespace graspd::sim
