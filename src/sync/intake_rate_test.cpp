#include "sync/intake_rate.h"

#include <gtest/gtest.h>

namespace graspd::sync {
namespace intake_rate_test {

using namespace std::chrono_literals;

constexpr core::Instant kStart = core::Instant(1h);

TEST(IntakeRate, ReadsAFirstSyncOfAHundredThousandEventsAtFullSpeed) {  // R1
  IntakeRate rate(IntakeLimits{}, kStart);
  for (int i = 0; i < 100'000; ++i) rate.took(1, 6'000, kStart);
  EXPECT_EQ(rate.ready_at(kStart), kStart);
}

TEST(IntakeRate, GivesARelayThatSendsWithoutEndItsRateAndNoMore) {  // R1, R2
  IntakeRate rate({.events_per_minute = 600, .bytes_per_minute = 0}, kStart);
  core::Instant now = kStart;
  std::uint64_t taken = 0;
  while (now < kStart + 1h) {
    rate.took(1, 1'000, now);
    ++taken;
    now = rate.ready_at(now);
  }
  EXPECT_GE(taken, 600u * 70 - 10);  // what was saved up, and an hour
  EXPECT_LE(taken, 600u * 70 + 10);
}

TEST(IntakeRate, MakesALargeMessageWaitAsLongAsItsBytesTake) {  // R2
  IntakeRate rate({.events_per_minute = 0, .bytes_per_minute = 60'000}, kStart);
  rate.took(0, 600'000, kStart);  // all that was saved up
  EXPECT_EQ(rate.ready_at(kStart), kStart);
  rate.took(0, 5'000, kStart);
  EXPECT_EQ(rate.ready_at(kStart), kStart + 5s);
  EXPECT_EQ(rate.ready_at(kStart + 5s), kStart + 5s);
}

TEST(IntakeRate, PausesNotTooBriefly) {  // R3
  IntakeRate rate({.events_per_minute = 60'000, .bytes_per_minute = 0}, kStart);
  rate.took(600'001, 0, kStart);
  EXPECT_EQ(rate.ready_at(kStart), kStart + IntakeRate::kPauseMin);
}

TEST(IntakeRate, LimitsNothingWithARateOfZero) {  // R4
  IntakeRate rate({.events_per_minute = 0, .bytes_per_minute = 0}, kStart);
  rate.took(1ULL << 50, 1ULL << 50, kStart);
  EXPECT_EQ(rate.ready_at(kStart), kStart);
}

}  // namespace intake_rate_test
}  // namespace graspd::sync
