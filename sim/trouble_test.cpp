// The scenarios of the specification (sync.md §14), by number: relays that fail, refuse and lie.
#include <gtest/gtest.h>

#include "sim/village.h"

namespace graspd::sim {
namespace {

TEST(Scenario08, BacksOffToAnHourDiesAfterADayAndComesBack) {
  Village village({.down = true});
  World& world = village.world;
  world.start();
  world.run(23h);
  const auto dials = world.dials_of(kA);
  ASSERT_GE(dials.size(), 13u);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto expected = std::min<core::Duration>(5s * (1 << i), 1h);
    const core::Duration waited = dials[i + 1] - dials[i];
    EXPECT_GE(waited, expected);
    EXPECT_LE(waited, expected + 1s);
  }
  world.run(3h);
  EXPECT_EQ(world.status(kA).health, sync::HealthState::Dead);
  const std::size_t before = world.dials_of(kA).size();
  world.restart();  // a restart keeps its health
  world.run(1h);
  EXPECT_EQ(world.dials_of(kA).size(), before);
  EXPECT_EQ(world.status(kA).health, sync::HealthState::Dead);
  world.peer(kA).habits.down = false;
  world.run(25h);
  EXPECT_EQ(world.status(kA).health, sync::HealthState::Healthy);
  EXPECT_TRUE(world.is_complete());
}

TEST(Scenario09, ARateLimitMeansSilenceAndThenNothingIsLost) {
  for (const bool by_notice : {false, true}) {
    Village village({.cap = 40,
                     .negentropy = Negentropy::Absent,
                     .requests_per_minute = 8,
                     .limits_by_notice = by_notice},
                    {}, 600);
    World& world = village.world;
    Peer& peer = world.peer(kA);
    world.start();
    EXPECT_TRUE(world.run_until([&] { return peer.rate_refusals > 0; }, 1min));
    world.run(1s);
    EXPECT_EQ(world.status(kA).health, sync::HealthState::RateLimited);
    const std::size_t before = peer.requests;
    world.run(55s);
    EXPECT_EQ(peer.requests, before);
    EXPECT_TRUE(village.completes(6h));
  }
}

TEST(Scenario12, BadMannersDoNotStopSync) {
  const std::vector<Habits> bad = {
      {.never_eose = true},    {.eose_twice = true}, {.close_one_in = 2},
      {.cut_one_in = 2},       {.stray_one_in = 2},  {.floods = true},
      {.ignores_until = true}, {.mute_one_in = 2},   {.cut_after = 20}};
  for (Habits habits : bad) {
    habits.negentropy = Negentropy::Absent;
    habits.cap = 30;
    Village village(habits);
    village.world.add_peer(kB);
    const auto other = issue(900, 5, kWorldBegins - 10);
    village.world.publish(kB, other);
    village.world.accept(announcement(901, 5, {kB}, kWorldBegins - 20));
    village.world.start();
    village.world.run(1h);
    EXPECT_TRUE(village.world.has(other));  // nothing a peer does stops another
    village.world.heal();
    village.world.peer(kA).habits.ignores_until = false;
    EXPECT_TRUE(village.completes(30h));
    EXPECT_LT(village.world.steps(), 100'000u);
  }
}

TEST(Scenario17, APeerThatLimitsRetainedBytesIsCoveredByLiveAndRotation) {
  Village village({.retained_bytes_max = 20'000});
  World& world = village.world;
  std::vector<nostr::Event> roots;
  for (std::uint64_t i = 0; i < 300; ++i) {
    roots.push_back(issue(village.number++, 1, kWorldBegins - 3000));
    world.publish(kA, roots.back());
  }
  world.start();
  EXPECT_TRUE(village.completes(1h));
  world.run(30min);
  const auto status = world.status(kA);
  EXPECT_GT(status.rotating_filters, 0u);
  std::vector<nostr::Event> said;
  for (std::uint64_t i = 0; i < 300; i += 10) {
    for (const char* tag : {"e", "E", "q"}) {
      said.push_back(comment(village.number++, tag, roots[i].id.hex(), world.unix_now()));
      world.publish(kA, said.back());
    }
  }
  world.run(10min);
  for (const auto& event : said) EXPECT_TRUE(world.has(event));
}

TEST(Scenario18, FilterCountIsLearntDownToOneAndAStaleClosedChangesNothing) {
  Village village({.filters_max = 1});
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.completes(10min));
  world.run(5min);
  EXPECT_EQ(world.saved.at(kA).lessons.filters_per_req_max, 1u);
  const auto before = world.status(kA);
  world.feed(sync::Closed{before.id, *world.peer(kA).session(), sync::Sub{1},
                          "rate-limited: REQ exceeds max filter count 1"});
  world.run(1min);
  EXPECT_EQ(world.status(kA).health, sync::HealthState::Healthy);
  const auto news = village.say();
  world.run(1s);
  EXPECT_TRUE(world.has(news));
}

TEST(Scenario19, LimitZeroRefusedBecomesSinceNow) {
  Village village({.refuses_limit_zero = true});
  village.world.start();
  EXPECT_TRUE(village.completes());
  village.world.run(1min);
  const auto news = village.say();
  village.world.run(1s);
  EXPECT_TRUE(village.world.has(news));
  EXPECT_TRUE(village.world.saved.at(kA).lessons.limit_zero_refused);
}

TEST(Scenario20, OneLongIdentifierDoesNotDarkenTheOthers) {
  Village village({.refuses_long_values = true});
  World& world = village.world;
  for (std::uint64_t repo = 10; repo < 110; ++repo) {
    world.accept(announcement(5000 + repo, repo, {kA}, kWorldBegins - 500));
  }
  const nostr::Address odd{{30617}, {}, std::string(300, 'x')};
  world.start();
  world.feed(sync::RepoSeen{odd, sync::Level::Full, {kA.text()}, {}});
  world.run(5min);
  std::vector<nostr::Event> said;
  for (std::uint64_t repo = 10; repo < 110; ++repo) {
    said.push_back(comment(village.number++, "a", repo_address(repo).text(), world.unix_now()));
    world.publish(kA, said.back());
  }
  world.run(1s);
  for (const auto& event : said) EXPECT_TRUE(world.has(event));
  EXPECT_GT(world.status(kA).filters_parked, 0u);
  EXPECT_EQ(world.status(kA).link, sync::LinkState::ConnectedWithGaps);
}

TEST(Trouble, LeavingAPeerThatFloodsCountsAsOneFailure) {
  Village village({.cap = 30, .negentropy = Negentropy::Absent, .floods = true}, {}, 0);
  World& world = village.world;
  for (int i = 0; i < 300; ++i) {  // nothing of it was asked for
    world.publish(kA, comment(village.number++, "e", std::string(64, 'f'), kWorldBegins - 3000));
  }
  world.start();
  EXPECT_TRUE(world.run_until([&] { return world.status(kA).failures > 0; }, 1min));
  EXPECT_EQ(world.status(kA).failures, 1u);
}

TEST(Scenario21, AuthenticatesOnceAndDoesNotStormWhenRestricted) {
  Village welcome({.needs_auth = true});
  welcome.world.start();
  EXPECT_TRUE(welcome.completes());
  Village shut({.negentropy = Negentropy::Absent, .needs_auth = true, .restricted = true});
  shut.world.start();
  shut.world.run(20h);
  EXPECT_LE(shut.world.peer(kA).requests, 40u);
  EXPECT_EQ(shut.world.status(kA).health, sync::HealthState::PolicyLimited);
  EXPECT_TRUE(shut.world.peer(kA).is_connected());
}

TEST(Scenario22, TooManyNegentropyItemsSplitsAndDoesNotPause) {
  Village village({.negentropy_cap = 50}, {}, 400);
  village.world.start();
  EXPECT_TRUE(village.completes());
  EXPECT_EQ(village.world.status(kA).meter.rate_limits, 0u);
  EXPECT_EQ(village.world.status(kA).meter.pages, 0u);
  EXPECT_GT(village.world.peer(kA).reconciliations, 8u);
}

TEST(Scenario23, AWithheldIdIsAGapUntilItIsReleased) {
  Village village;
  World& world = village.world;
  const auto shy = comment(500, "e", village.root.id.hex(), kWorldBegins - 3000);
  world.publish(kA, shy);
  world.peer(kA).habits.withheld = {shy.id};
  world.start();
  world.run(5min);
  EXPECT_FALSE(world.has(shy));
  EXPECT_EQ(world.status(kA).link, sync::LinkState::ConnectedWithGaps);
  EXPECT_EQ(world.status(kA).ids_lost, 1u);
  world.peer(kA).habits.withheld.clear();
  world.run(30min);
  EXPECT_TRUE(world.has(shy));
  EXPECT_EQ(world.status(kA).link, sync::LinkState::Connected);
}

TEST(Scenario24, APageMayTakeAMinuteToItsFirstFrame) {
  Village village({.negentropy = Negentropy::Absent, .first_frame = 60s});
  village.world.start();
  EXPECT_TRUE(village.completes(30min));
  EXPECT_EQ(village.world.status(kA).meter.timeouts, 0u);
}

TEST(Scenario25, WhenOurResolverFailsNobodyIsBlamed) {
  World world(1);
  std::vector<nostr::RelayUrl> relays;
  for (std::uint64_t i = 0; i < 6; ++i) relays.push_back(relay_url(50 + i));
  for (const auto& relay : relays) world.add_peer(relay);
  world.accept(announcement(1, 1, relays, kWorldBegins - 100));
  world.start();
  world.run(1h);
  world.resolver_fails = true;
  for (const auto& relay : relays) world.cut(relay);
  world.run(2min);
  world.resolver_fails = false;
  world.run(15s);
  for (const auto& relay : relays) {
    EXPECT_TRUE(world.peer(relay).is_connected());
  }
}

TEST(Scenario26, ThousandsOfRootsProvokeNoRefusal) {
  Village village({.information = sync::PeerInformation{.max_subscriptions = 10},
                   .subscriptions_max = 10,
                   .requests_per_minute = 120});
  World& world = village.world;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    world.accept(issue(village.number++, 1, kWorldBegins - 3000));
  }
  world.start();
  world.run(30min);
  EXPECT_EQ(world.peer(kA).refusals, 0u);
  EXPECT_EQ(world.peer(kA).rate_refusals, 0u);
  EXPECT_TRUE(world.is_complete());
}

TEST(Scenario27, AForgedCopyDoesNotShadowTheGenuineOne) {
  Village village;
  const auto event = comment(500, "e", village.root.id.hex(), kWorldBegins - 3000);
  village.world.publish(kA, event);
  village.world.peer(kA).habits.forged = {event.id};
  village.world.start();
  EXPECT_TRUE(village.completes());
  EXPECT_TRUE(village.world.has(event));
}

TEST(Scenario28, APrivatePeerIsNeverDialled) {
  sync::PeerInformation secret{.supported_grasps = {"GRASP-01", "GRASP-08"}};
  Village village({.information = secret});
  village.world.start();
  village.world.run(50h);
  EXPECT_TRUE(village.world.dials_of(kA).empty());
  EXPECT_LE(village.world.informations_read, 4u);
  EXPECT_EQ(village.world.logs.size(), 1u);
}

TEST(Scenario29, AFlappingPeerKeepsItsBackoff) {
  Village village({.negentropy = Negentropy::Absent}, {}, 0);
  World& world = village.world;
  world.start();
  world.run(10min);
  for (int i = 0; i < 3600; ++i) {  // whenever it is connected, it goes away after 10 s
    if (world.peer(kA).is_connected()) {
      world.run(10s);
      world.cut(kA);
    }
    world.run(1s);
  }
  EXPECT_LE(world.dials_of(kA).size(), 14u);
}

TEST(Scenario30, ABootstrapRelayThatIsDownAtStartIsReachedLater) {
  World world(1, {.bootstrap = {kA}});
  world.add_peer(kA, {.down = true});
  world.start();
  world.run(1h);
  world.peer(kA).habits.down = false;
  world.run(1h);
  EXPECT_EQ(world.status(kA).link, sync::LinkState::Connected);
}

}  // namespace
}  // namespace graspd::sim
