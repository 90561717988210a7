#include "store/quota.h"

#include <gtest/gtest.h>

namespace graspd::store {
namespace quota_test {

// The seconds of events, newest first; how many of them are taken.
std::size_t taken(Quota quota, std::initializer_list<core::UnixSeconds> seconds) {
  std::size_t count = 0;
  for (const auto second : seconds) {
    quota.come_to(second);
    if (!quota.is_open()) break;
    quota.take(second);
    ++count;
  }
  return count;
}

TEST(Quota, IsExactWhenTheClientNamedIt) {  // R1
  EXPECT_EQ(taken(Quota(2), {9, 8, 8, 8}), 2u);
  EXPECT_EQ(taken(Quota(0), {9}), 0u);
  EXPECT_EQ(taken(Quota(Quota::kAll), {9, 8, 7}), 3u);
}

TEST(Quota, OfTheRelayIsStretchedToTheEndOfItsSecond) {  // R2
  EXPECT_EQ(taken(Quota(2, 100, {}), {9, 8, 8, 8, 7, 7}), 4u);
  EXPECT_EQ(taken(Quota(2, 100, {}), {9, 8, 7}), 2u);
  EXPECT_EQ(taken(Quota(2, 1, {}), {9, 8, 8, 8}), 3u);
}

TEST(Quota, GetsBeyondASecondThatWasSentBefore) {  // R3
  EXPECT_EQ(taken(Quota(2, 100, 9), {9, 9, 9, 8, 7, 7, 6}), 6u);
  EXPECT_EQ(taken(Quota(2, 1, 9), {9, 9, 9, 9}), 3u);
  EXPECT_EQ(taken(Quota(2, 100, 10), {9, 9, 9, 8}), 3u);
}

TEST(Quota, SaysOnceThatASecondClosedIt) {
  Quota quota(1, 100, {});
  quota.come_to(9);
  quota.take(9);
  EXPECT_TRUE(quota.is_stretched());
  EXPECT_FALSE(quota.come_to(9));
  EXPECT_TRUE(quota.come_to(8));
  EXPECT_FALSE(quota.come_to(7));
}

}  // namespace quota_test
}  // namespace graspd::store
