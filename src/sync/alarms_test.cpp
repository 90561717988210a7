#include "sync/alarms.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace alarms_test {

using namespace std::chrono_literals;
constexpr core::Instant kStart{1h};

TEST(Alarms, ComeOutInOrderOfTimeThenKey) {  // R2
  Alarms<int> alarms;
  alarms.set(3, kStart + 1s);
  alarms.set(1, kStart + 2s);
  alarms.set(2, kStart + 1s);
  EXPECT_EQ(alarms.next(), kStart + 1s);
  EXPECT_EQ(alarms.take_due(kStart), std::nullopt);
  EXPECT_EQ(alarms.take_due(kStart + 5s), 2);
  EXPECT_EQ(alarms.take_due(kStart + 5s), 3);
  EXPECT_EQ(alarms.take_due(kStart + 5s), 1);
  EXPECT_EQ(alarms.take_due(kStart + 5s), std::nullopt);
}

TEST(Alarms, AreReplacedAndNotMultiplied) {  // R1
  Alarms<int> alarms;
  alarms.set(1, kStart + 1s);
  alarms.set(1, kStart + 3s);
  EXPECT_EQ(alarms.next(), kStart + 3s);
  alarms.set(1, std::nullopt);
  EXPECT_EQ(alarms.next(), std::nullopt);
}

}  // namespace alarms_test
}  // namespace graspd::sync
