#include "core/token_bucket.h"

#include <gtest/gtest.h>
#include <limits>

#include "core/rng.h"

namespace graspd::core {
namespace token_bucket_test {

Instant at(std::int64_t milliseconds) { return Instant(Duration(milliseconds)); }

int take_all(TokenBucket& bucket, Instant now) {
  int taken = 0;
  while (taken < 1'000'000 && bucket.take(now)) ++taken;
  return taken;
}

TEST(TokenBucket, GivesAMinutesWorthAtOnce) {
  TokenBucket bucket(30, at(0));
  EXPECT_EQ(take_all(bucket, at(0)), 30);
}

TEST(TokenBucket, GivesTheShareOfElapsedTimeToACallerThatAsksEveryMillisecond) {  // R1
  TokenBucket bucket(7, at(0));
  take_all(bucket, at(0));
  int taken = 0;
  for (int ms = 1; ms <= 120'000; ++ms) taken += bucket.take(at(ms));
  EXPECT_EQ(taken, 14);
}

TEST(TokenBucket, GivesATokenInTheVeryMillisecondItIsDue) {  // R1
  TokenBucket bucket(1, at(0));
  ASSERT_TRUE(bucket.take(at(0)));
  for (int ms = 1; ms < 60'000; ++ms) ASSERT_FALSE(bucket.take(at(ms))) << ms;
  EXPECT_TRUE(bucket.take(at(60'000)));
}

TEST(TokenBucket, HoldsNoMoreThanAMinutesWorthHoweverLongThePause) {
  TokenBucket bucket(5, at(0));
  EXPECT_EQ(take_all(bucket, at(std::numeric_limits<std::int64_t>::max())), 5);
}

TEST(TokenBucket, AtTheHighestRateDoesNotOverflow) {
  TokenBucket bucket(std::numeric_limits<std::uint32_t>::max(), at(0));
  EXPECT_TRUE(bucket.take(at(0)));
  EXPECT_TRUE(bucket.take(at(std::numeric_limits<std::int64_t>::max())));
}

TEST(TokenBucket, WithARateOfZeroNeverRefuses) {  // R2
  TokenBucket zero(0, at(0));
  TokenBucket none;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(zero.take(at(0)));
    EXPECT_TRUE(none.take(at(0)));
  }
}

TEST(TokenBucket, GivesNothingForTimeThatGoesBackAndForth) {  // R3
  TokenBucket bucket(60, at(10'000));
  take_all(bucket, at(10'000));
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(bucket.take(at(0)));
    EXPECT_FALSE(bucket.take(at(10'000)));
  }
  EXPECT_TRUE(bucket.take(at(11'000)));
}

TEST(TokenBucket, NeverGivesMoreThanBurstPlusRateOverRandomTimes) {  // R1, R3
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  for (int round = 0; round < 50; ++round) {
    const auto rate = static_cast<std::uint32_t>(1 + rng.below(200));
    TokenBucket bucket(rate, at(0));
    std::int64_t now = 0;
    std::int64_t latest = 0;
    std::int64_t taken = 0;
    for (int i = 0; i < 2000; ++i) {
      now += static_cast<std::int64_t>(rng.below(400)) - 100;
      latest = std::max(latest, now);
      taken += bucket.take(at(now));
    }
    EXPECT_LE(taken, rate + latest * rate / 60'000);
  }
}

}  // namespace token_bucket_test
}  // namespace graspd::core
