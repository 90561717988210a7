// The scenarios of the specification (sync.md §14), by number: finding, reading, following.
#include <gtest/gtest.h>

#include "sim/village.h"

namespace graspd::sim {
namespace {

TEST(Scenario01, FindsTheOtherServerByItselfAndThenHearsNewsWithinASecond) {
  Village village;
  village.world.start();
  EXPECT_TRUE(village.completes(1min));
  EXPECT_EQ(village.world.intake().stored().size(), 52u);
  village.world.run(1min);
  const auto news = village.say();
  village.world.run(1s);
  EXPECT_TRUE(village.world.has(news));
  EXPECT_EQ(village.world.status(kA).link, sync::LinkState::Connected);
}

TEST(Scenario02, EveryTagVariantArrives) {
  Village village;
  World& world = village.world;
  std::vector<nostr::Event> sent;
  const auto publish_all = [&](core::UnixSeconds at) {
    for (const char* tag : {"a", "A", "q"}) {
      sent.push_back(comment(village.number++, tag, repo_address(1).text(), at));
      world.publish(kA, sent.back());
    }
    for (const char* tag : {"e", "E", "q"}) {
      sent.push_back(comment(village.number++, tag, village.root.id.hex(), at));
      world.publish(kA, sent.back());
    }
  };
  publish_all(kWorldBegins - 100);
  world.start();
  world.run(1min);
  publish_all(world.unix_now());
  world.run(2s);
  for (const auto& event : sent) EXPECT_TRUE(world.has(event));
}

TEST(Scenario03, NegentropyAndPagesGiveTheSame) {
  std::vector<std::vector<nostr::EventId>> results;
  for (const auto way : {Negentropy::Works, Negentropy::Absent}) {
    Village village({.cap = 60, .negentropy = way}, {}, 700);
    village.world.start();
    EXPECT_TRUE(village.completes());
    auto& ids = results.emplace_back();
    for (const auto& [id, event] : village.world.intake().stored()) ids.push_back(id);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Scenario04, DiscoversAChainOfRelays) {
  World world(1);
  for (const auto& relay : {kA, kB, kC}) world.add_peer(relay);
  world.publish(kA, announcement(2, 2, {kB}, kWorldBegins - 900));
  world.publish(kB, announcement(3, 3, {kC}, kWorldBegins - 800));
  const auto last = issue(4, 3, kWorldBegins - 700);
  world.publish(kC, last);
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 1000));
  world.start();
  world.run(1min);
  EXPECT_TRUE(world.has(last));
}

TEST(Scenario05, ABootstrapRelayWithoutRepositoriesStaysConnected) {
  World world(1, {.bootstrap = {kA}});
  world.add_peer(kA);
  world.start();
  world.run(3h);
  EXPECT_EQ(world.status(kA).link, sync::LinkState::Connected);
  EXPECT_EQ(world.dials_of(kA).size(), 1u);
}

// How many events a relay sends when it comes back after a while, one of them new.
std::size_t sent_after_absence(Village& village, core::Duration absence, core::Duration patience) {
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.completes());
  world.run(10min);
  Peer& peer = world.peer(kA);
  peer.habits.down = true;
  world.cut(kA);
  world.run(absence);
  const auto missed = village.say();
  const std::size_t before = peer.events_sent;
  peer.habits.down = false;
  world.run(patience);
  EXPECT_TRUE(world.has(missed));
  return peer.events_sent - before;
}

TEST(Scenario06, AQuickReconnectFetchesJustTheGap) {
  Village village({}, {}, 400);
  EXPECT_LE(sent_after_absence(village, 5min, 2min), 20u);
}

TEST(Scenario06, ALongAbsenceIsAFreshStart) {
  Village village({.negentropy = Negentropy::Absent}, {}, 100);
  EXPECT_GE(sent_after_absence(village, 2h, 2h), 100u);
}

TEST(Scenario07, DailyFindsWhatLiveLostAndCountsTheGap) {
  Village village({.lose_live_one_in = 1});
  World& world = village.world;
  world.start();
  world.run(1h);
  const auto lost = village.say();
  world.run(1h);
  EXPECT_FALSE(world.has(lost));
  world.run(25h);
  EXPECT_TRUE(world.has(lost));
  EXPECT_EQ(world.status(kA).meter.gaps, 1u);
  EXPECT_EQ(world.engine().meter().gaps, 1u);
}

TEST(Scenario10, ConsolidatesWithoutLosingALiveEvent) {
  Village village;
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.settles());
  std::vector<nostr::Event> said;
  std::vector<nostr::Event> roots;
  for (int i = 0; i < 3000; ++i) {
    world.at(core::Duration(i * 100), [&] {
      roots.push_back(issue(village.number++, 1, world.unix_now()));
      world.publish(kA, roots.back());
      said.push_back(village.say());
    });
  }
  world.run(310s);
  for (const auto& event : said) EXPECT_TRUE(world.has(event));
  for (const auto& event : roots) EXPECT_TRUE(world.has(event));
  const auto status = world.status(kA);
  EXPECT_EQ(status.meter.consolidations, 1u);
  EXPECT_LE(status.live_filters, 40u);
  EXPECT_EQ(world.peer(kA).refusals, 0u);
}

TEST(Scenario11, ACappedRelayWithAStormInOneSecondIsReadToItsEnd) {
  World world(1);
  Habits habits{.cap = 500, .negentropy = Negentropy::Absent};
  world.add_peer(kA, habits);
  std::vector<nostr::Event> roots;
  for (std::uint64_t i = 0; i < 20; ++i) roots.push_back(issue(10 + i, 1, kWorldBegins - 9000));
  for (const auto& root : roots) world.publish(kA, root);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const bool in_storm = i < 1200;
    const core::UnixSeconds at =
        kWorldBegins - (in_storm ? 4000 : 8000 - static_cast<core::UnixSeconds>(i));
    world.publish(kA, comment(1000 + i, "e", roots[i % 20].id.hex(), at));
  }
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9900));
  world.start();
  EXPECT_TRUE(world.run_until([&] { return world.is_complete(); }, 30min));
  EXPECT_EQ(world.intake().stored().size(), 5021u);
}

TEST(Scenario13, ARelayThatIsNoLongerListedIsDroppedAndANewOneFollowed) {
  Village village;
  World& world = village.world;
  world.add_peer(kB);
  world.start();
  world.run(1min);
  EXPECT_TRUE(world.peer(kA).is_connected());
  world.accept(announcement(3, 1, {kB}, kWorldBegins - 100));
  world.run(1min);
  EXPECT_TRUE(world.peer(kB).is_connected());
  EXPECT_TRUE(world.peer(kA).is_connected());  // it lingers
  world.run(40min);
  EXPECT_FALSE(world.peer(kA).is_connected());
  EXPECT_FALSE(world.is_tracked(kA));
}

TEST(Scenario14, AnEventThatCameBeforeItsRepositoryIsStoredInTheEnd) {
  World world(1, {.bootstrap = {kB}});
  // A GRASP server gives all states, also those of repositories we do not know.
  world.add_peer(kA, {.information = sync::PeerInformation{.supported_grasps = {"GRASP-01"}}});
  world.add_peer(kB);
  world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  const auto early = state(5, 2, kWorldBegins - 500);
  world.publish(kA, early);
  world.start();
  world.run(10min);
  EXPECT_TRUE(world.intake().knows(early.id));
  EXPECT_FALSE(world.has(early));
  world.publish(kB, announcement(6, 2, {kA}, world.unix_now()));
  world.run(1min);
  EXPECT_TRUE(world.has(early));
}

TEST(Scenario15, ManyRepositoriesOnManyRelaysConvergeWithBoundedRequests) {
  World world(1);
  constexpr std::uint64_t kRelays = 100, kRepos = 1000, kRoots = 50;
  std::vector<nostr::RelayUrl> relays;
  for (std::uint64_t i = 0; i < kRelays; ++i) relays.push_back(relay_url(100 + i));
  for (const auto& relay : relays) world.add_peer(relay);
  std::uint64_t number = 1;
  for (std::uint64_t repo = 0; repo < kRepos; ++repo) {
    const std::vector<nostr::RelayUrl> mine{relays[repo % kRelays],
                                            relays[(repo * 7 + 1) % kRelays]};
    world.accept(announcement(number++, repo, mine, kWorldBegins - 9000));
    for (std::uint64_t i = 0; i < kRoots; ++i) {
      const auto event = issue(number++, repo, kWorldBegins - 8000);
      for (const auto& relay : mine) world.publish(relay, event);
    }
  }
  world.start();
  EXPECT_TRUE(world.run_until([&] { return world.engine().is_settled(world.now()); }, 30min));
  EXPECT_TRUE(world.is_complete());
  EXPECT_EQ(world.intake().stored().size(), kRepos * (1 + kRoots));
  for (const auto& relay : relays) {
    EXPECT_LE(world.peer(relay).requests, 100u);
    EXPECT_LE(world.peer(relay).subs_high, 18u);
  }
}

}  // namespace
}  // namespace graspd::sim
