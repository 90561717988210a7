#include "sync/health.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace health_test {

using namespace std::chrono_literals;

struct Life {
  Options options;
  core::Rng rng{1};
  core::Now now{core::Instant(1h), 1'800'000'000};
  Health health;

  void pass(core::Duration span) {
    now.instant += span;
    now.unix_seconds += span / 1s;
  }
  core::Duration wait() const { return health.may_dial_at() - now.instant; }
};

TEST(Health, DoublesItsBackoffToAnHour) {  // R1
  Life life;
  for (const int expected : {5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600}) {
    life.health.dial_failed(life.options, life.now, "refused");
    EXPECT_EQ(life.wait(), std::chrono::seconds(expected));
    life.pass(life.wait());
  }
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Degraded);
}

TEST(Health, IsDeadAfterADayAndTriedDaily) {  // R1
  Life life;
  life.health.dial_failed(life.options, life.now, "refused");
  life.pass(24h);
  life.health.dial_failed(life.options, life.now, "refused");
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Dead);
  EXPECT_EQ(life.wait(), 24h);
  life.health.connected(life.now);
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Degraded);
  life.pass(5min);
  life.health.settle(life.options, life.now);
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Healthy);
}

TEST(Health, KeepsItsBackoffWhileFlapping) {  // R2
  Life life;
  for (const int expected : {5, 10, 20, 40}) {
    life.health.connected(life.now);
    life.pass(10s);
    life.health.dropped(life.options, life.now, false, "gone", life.rng);
    EXPECT_EQ(life.wait(), std::chrono::seconds(expected));
    life.pass(life.wait());
  }
}

TEST(Health, OutlivesAClockThatWasWrong) {  // R7
  Life life;
  const core::UnixSeconds years = 1'900'000'000;
  life.health =
      Health({.failures = 3, .first_failure = years, .next_retry = years, .paused_until = years},
             life.now);
  EXPECT_LE(life.wait(), 24h);
}

TEST(Health, ForgetsItsPausesOverARestartAsItDoesWithout) {  // R5, R7
  Life life;
  life.health.rate_limited(life.options, life.now, {});
  life.pass(66s);
  life.health.rate_limited(life.options, life.now, {});
  life.health = Health(life.health.record(life.now), life.now);
  EXPECT_EQ(life.wait(), 130s);
  life.pass(130s + 6min);
  life.health = Health(life.health.record(life.now), life.now);
  life.health.rate_limited(life.options, life.now, {});
  EXPECT_EQ(life.wait(), 65s);
}

TEST(Health, PausesAsLongAsItIsAskedTo) {  // R5
  for (const auto& [asked, expected] : {std::pair{600s, 600s}, {0s, 5s}, {86'400s, 3600s}}) {
    Life life;
    life.health.rate_limited(life.options, life.now, asked);
    EXPECT_EQ(life.wait(), expected);
  }
}

TEST(Health, IsTriedAtOnceWhenTheOperatorSaysSo) {
  Life life;
  life.health.rate_limited(life.options, life.now, {});
  life.health.dial_failed(life.options, life.now, "refused");
  life.health.policy_limited(life.now.instant + 24h);
  life.health.retry_now(life.now);
  EXPECT_EQ(life.wait(), 0s);
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Degraded);
}

TEST(Health, ReturnsAtOnceToARelayThatWasStable) {  // R3
  Life life;
  life.health.connected(life.now);
  life.pass(1h);
  life.health.dropped(life.options, life.now, false, "gone", life.rng);
  EXPECT_LT(life.wait(), 2s);
  EXPECT_EQ(life.health.state(life.options, life.now), HealthState::Disconnected);
}

TEST(Health, ReturnsSoonToARelayThatServed) {  // R4
  Life life;
  for (int i = 0; i < 5; ++i) {
    life.health.connected(life.now);
    life.pass(10s);
    life.health.dropped(life.options, life.now, true, "cut", life.rng);
    EXPECT_EQ(life.wait(), 5s);
    life.pass(5s);
  }
}

TEST(Health, PausesLongerForEachRefusedProbe) {  // R5
  Life life;
  for (const int expected : {65, 130, 260, 520, 1040, 2080, 3600}) {
    EXPECT_TRUE(life.health.rate_limited(life.options, life.now, {}));
    EXPECT_FALSE(life.health.rate_limited(life.options, life.now, {}));
    EXPECT_EQ(life.wait(), std::chrono::seconds(expected));
    EXPECT_EQ(life.health.state(life.options, life.now), HealthState::RateLimited);
    life.pass(life.wait() + 1s);
  }
  life.pass(5min);
  EXPECT_TRUE(life.health.rate_limited(life.options, life.now, {}));
  EXPECT_EQ(life.wait(), 65s);
}

TEST(Health, SurvivesARestart) {  // R7
  Life life;
  for (int i = 0; i < 9; ++i) life.health.dial_failed(life.options, life.now, "refused");
  const HealthRecord record = life.health.record(life.now);
  const core::Now later{core::Instant(7min), life.now.unix_seconds + 60};
  const Health again(record, later);
  EXPECT_EQ(again.failures(), 9u);
  EXPECT_EQ(again.may_dial_at() - later.instant, 1280s - 60s);
  EXPECT_EQ(again.reason(), "refused");
}

}  // namespace health_test
}  // namespace graspd::sync
