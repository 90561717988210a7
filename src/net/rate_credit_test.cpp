#include "net/rate_credit.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace rate_credit_test {

using std::chrono::seconds;

constexpr MinimumRate kRate{1'000, seconds(60)};

TEST(RateCredit, EndsForAPeerThatTrickles) {  // R1, R3
  RateCredit credit(kRate);
  int bytes = 0;
  for (; credit.left() >= seconds(20) && bytes < 10; ++bytes) {
    credit.waited(seconds(20));
    credit.moved(1);
  }
  EXPECT_EQ(bytes, 3);  // the fourth comes too late
}

TEST(RateCredit, NeverEndsForAPeerThatKeepsUp) {  // R1
  RateCredit credit(kRate);
  for (int i = 0; i < 10'000; ++i) {
    credit.waited(seconds(30));
    ASSERT_GT(credit.left(), core::Duration(0));
    credit.moved(30'000);
  }
  EXPECT_EQ(credit.left(), seconds(60));
}

TEST(RateCredit, IsNotSavedUp) {  // R2
  RateCredit credit(kRate);
  credit.moved(1ULL << 62);
  EXPECT_EQ(credit.left(), seconds(60));
  credit.waited(seconds(61));
  EXPECT_EQ(credit.left(), core::Duration(0));
  credit.moved(1'500);
  EXPECT_EQ(credit.left(), core::Duration(500));
}

TEST(RateCredit, IsEndlessWithoutARate) {  // R3
  RateCredit credit(MinimumRate{});
  credit.waited(seconds(100'000));
  credit.moved(5);
  EXPECT_EQ(credit.left(), core::Duration::max());
}

}  // namespace rate_credit_test
}  // namespace graspd::net
