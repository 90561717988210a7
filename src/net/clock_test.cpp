#include "net/clock.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace clock_test {

TEST(Clock, NeverGoesBackAndKnowsTheEpoch) {
  const core::Now first = now();
  const core::Now second = now();
  EXPECT_GE(second.instant, first.instant);
  EXPECT_GT(first.unix_seconds, 1'700'000'000);
}

}  // namespace clock_test
}  // namespace graspd::net
