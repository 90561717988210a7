#include "sync/pace.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace pace_test {

using namespace std::chrono_literals;
constexpr core::Instant kStart{1h};

int taken_within(Pace& pace, core::Instant from, core::Duration span) {
  int count = 0;
  core::Instant now = from;
  while ((now = pace.ready_at(now)) < from + span) {
    pace.take(now);
    ++count;
  }
  return count;
}

TEST(Pace, GivesABurstAndThenAHundredAMinute) {  // R1
  Pace pace(kStart);
  EXPECT_EQ(taken_within(pace, kStart, 1min), 20 + 99);
  EXPECT_EQ(taken_within(pace, kStart + 1min, 1min), 100);
}

TEST(Pace, DoublesAfterEachCleanTenMinutes) {  // R1
  Pace pace(kStart);
  (void)pace.ready_at(kStart + 10min);
  EXPECT_EQ(pace.per_minute(), 200u);
  (void)pace.ready_at(kStart + 2h);
  EXPECT_EQ(pace.per_minute(), 600u);
}

TEST(Pace, IsHalvedByARefusalButNotStopped) {  // R2
  Pace pace(kStart);
  for (int i = 0; i < 10; ++i) pace.refused(kStart);
  EXPECT_EQ(pace.per_minute(), 6u);
  EXPECT_EQ(pace.ready_at(kStart), kStart + 10s);
}

TEST(Pace, LearnsHowManyARelayTakesWithinAMinute) {  // R3
  Pace pace(kStart);
  for (int i = 0; i < 10; ++i) pace.take(kStart);
  pace.refused(kStart);  // of ten it took nine
  EXPECT_EQ(pace.per_minute(), 9u);
  const core::Instant after = kStart + 65s;
  EXPECT_EQ(taken_within(pace, after, 60s), 9);
  EXPECT_EQ(taken_within(pace, after + 62s, 60s), 9);
}

TEST(Pace, TriesMoreAfterTenCleanMinutes) {  // R3
  Pace pace(kStart);
  for (int i = 0; i < 10; ++i) pace.take(kStart);
  for (int i = 0; i < 4; ++i) pace.refused(kStart);
  EXPECT_EQ(pace.per_minute(), 6u);
  (void)pace.ready_at(kStart + 10min);
  EXPECT_EQ(pace.per_minute(), 12u);
}

TEST(Pace, KnowsNoLimitTowardsOurOwnSoftware) {  // R4
  Pace pace = Pace::unlimited(kStart);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(pace.ready_at(kStart), kStart);
    pace.take(kStart);
  }
}

}  // namespace pace_test
}  // namespace graspd::sync
