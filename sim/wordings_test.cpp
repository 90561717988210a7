// Relays that refuse in other words and ways than the scenarios know, and are read all the same.
#include <gtest/gtest.h>

#include "sim/village.h"

namespace graspd::sim {
namespace {

const sync::PeerInformation kPlain{.supported_nips = std::vector<int>{1, 11}};

bool is_heard_live(Village& village) {
  const auto news = village.say();
  village.world.run(2s);
  return village.world.has(news);
}

TEST(Wordings, AnAuthThatIsNeverAnsweredStopsNothing) {
  Village village({.needs_auth = true, .never_answers_auth = true});
  village.world.start();
  village.world.run(5min);
  EXPECT_EQ(village.world.status(kA).health, sync::HealthState::PolicyLimited);
  village.world.peer(kA).habits.needs_auth = false;
  village.world.feed(sync::RetryWanted{kA});
  EXPECT_TRUE(village.completes());
  EXPECT_TRUE(is_heard_live(village));
  EXPECT_EQ(village.world.status(kA).health, sync::HealthState::Healthy);
}

TEST(Wordings, ARefusalThatCrossesOurAuthIsNoPolicy) {
  // The first refusal starts the authentication; the others come after it was accepted.
  Habits habits{.slow_refusals = true, .needs_auth = true};
  habits.information = sync::PeerInformation{.max_filters = 1};
  Village village(habits);
  village.world.start();
  EXPECT_TRUE(village.completes(1min));
  EXPECT_EQ(village.world.status(kA).meter.policy_refusals.size(), 0u);
}

TEST(Wordings, AnAuthThatCameTooSoonIsRepeatedAfterThePause) {
  Village village({.needs_auth = true, .auth_rate_refusals = 1});
  village.world.start();
  village.world.run(1s);
  EXPECT_EQ(village.world.status(kA).health, sync::HealthState::RateLimited);
  EXPECT_TRUE(village.completes(10min));
  EXPECT_EQ(village.world.status(kA).meter.policy_refusals.size(), 0u);
  EXPECT_TRUE(is_heard_live(village));
}

TEST(Wordings, ANoticeThatAsksForAuthIsAnswered) {
  Village village({.refuses_by_notice = true, .needs_auth = true});
  village.world.start();
  EXPECT_TRUE(village.completes(30s));
  EXPECT_TRUE(is_heard_live(village));
}

TEST(Wordings, RefusalsByNoticeTeachToo) {
  for (Habits habits : {Habits{.filters_max = 1}, Habits{.subscriptions_max = 3},
                        Habits{.refuses_limit_zero = true}}) {
    habits.refuses_by_notice = true;
    habits.cap = 30;
    habits.negentropy = Negentropy::Absent;
    habits.information = kPlain;
    Village village(habits);
    village.world.start();
    EXPECT_TRUE(village.completes(10min));
    village.world.run(5min);
    EXPECT_TRUE(is_heard_live(village));
  }
}

TEST(Wordings, TooManySubscriptionsMeansFewerAndNoPause) {
  for (const char* words : {"error: too many subscriptions", "Subscription limit exceeded",
                            "blocked: too many open subscriptions"}) {
    Village village({.cap = 30,
                     .negentropy = Negentropy::Absent,
                     .information = kPlain,
                     .subscriptions_max = 3,
                     .words_of_too_many = words});
    village.world.start();
    EXPECT_TRUE(village.completes(5min)) << words;
    EXPECT_EQ(village.world.status(kA).meter.rate_limits, 0u) << words;
  }
}

TEST(Wordings, ALimitThatIsRefusedIsLowered) {
  for (const bool by_notice : {false, true}) {
    Habits habits{.cap = 100, .negentropy = Negentropy::Absent, .information = kPlain};
    habits.limit_max = 100;
    habits.refuses_by_notice = by_notice;
    Village village(habits, {}, 300);
    for (std::uint64_t i = 0; i < 150; ++i) {  // a second that is larger than a page
      village.world.publish(kA, comment(village.number++, i % 2 == 0 ? "e" : "q",
                                        village.root.id.hex(), kWorldBegins - 2000));
    }
    village.world.start();
    EXPECT_TRUE(village.completes(10min));
    EXPECT_EQ(village.world.status(kA).meter.policy_refusals.size(), 0u);
  }
}

TEST(Wordings, IdsThatMayBeFewPerFetchAreFetchedAllTheSame) {
  Habits habits;
  habits.limit_max = 50;
  Village village(habits, {}, 300);
  village.world.start();
  EXPECT_TRUE(village.completes(10min));
}

TEST(Wordings, WhoRefusesLargeAnswersIsReadInPiecesOfTime) {
  Habits habits{.negentropy = Negentropy::Absent, .information = kPlain};
  habits.results_max = 40;
  Village village(habits, {}, 300);
  village.world.start();
  EXPECT_TRUE(village.completes(30min));
  EXPECT_EQ(village.world.status(kA).filters_parked, 0u);
}

TEST(Wordings, WhoGivesNothingByIdIsReadByFilter) {
  Habits habits;
  habits.refuses_ids = true;
  Village village(habits, {}, 10);
  village.world.start();
  EXPECT_TRUE(village.completes(10min));
  village.world.run(2h);
  const auto more = village.say("q");
  village.world.cut(kA);
  village.world.run(30h);
  EXPECT_TRUE(village.world.has(more));
  EXPECT_LE(village.world.status(kA).meter.policy_refusals.at("blocked"), 4u);
}

TEST(Wordings, ASetThatIsTooBigIsSplit) {
  for (const char* words : {"blocked: this query is too big", "error: too many events",
                            "blocked: too many query results"}) {
    for (const bool by_notice : {false, true}) {
      Habits habits{.negentropy_cap = 50};
      habits.words_of_too_large = words;
      habits.refuses_by_notice = by_notice;
      Village village(habits, {}, 400);
      village.world.start();
      EXPECT_TRUE(village.completes()) << words;
      EXPECT_EQ(village.world.status(kA).meter.pages, 0u) << words;
      EXPECT_EQ(village.world.status(kA).meter.rate_limits, 0u) << words;
    }
  }
}

TEST(Wordings, OurselvesAreNoBootstrapRelay) {
  World world(1, {.bootstrap = {url(kOurUrl), kA}});
  world.add_peer(kA);
  world.start();
  world.run(1min);
  EXPECT_FALSE(world.is_tracked(url(kOurUrl)));
  EXPECT_TRUE(world.is_tracked(kA));
}

TEST(Wordings, TheSmallestCapIsFoundOut) {
  for (const std::size_t cap : {3u, 10u}) {
    Village village({.cap = cap, .negentropy = Negentropy::Absent}, {}, 60);
    World& world = village.world;
    world.start();
    EXPECT_TRUE(village.completes(30min)) << cap;
    world.run(10min);
    world.peer(kA).habits.down = true;
    world.cut(kA);
    world.run(2min);
    for (int i = 0; i < 15; ++i) {
      village.say();
      world.run(1s);
    }
    world.peer(kA).habits.down = false;
    EXPECT_TRUE(village.completes(10min)) << cap;
  }
}

TEST(Wordings, AStatedLimitBelowAPageIsNoReasonToStop) {
  for (const std::uint64_t max : {1u, 5u}) {
    Habits habits{.cap = max, .negentropy = Negentropy::Absent, .information = kPlain};
    habits.information->max_limit = max;
    Village village(habits, {}, 30);
    village.world.start();
    EXPECT_TRUE(village.completes(1h)) << max;
  }
}

TEST(Wordings, APrivateServerStaysOneWhenItsDocumentIsNotToBeHad) {
  Village village({.information = sync::PeerInformation{.supported_grasps = {"GRASP-08"}}});
  village.world.start();
  village.world.run(1h);
  village.world.peer(kA).habits.information.reset();
  village.world.run(50h);
  EXPECT_TRUE(village.world.dials_of(kA).empty());
}

}  // namespace
}  // namespace graspd::sim
