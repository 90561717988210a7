#include "sync/soonest.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace soonest_test {

using namespace std::chrono_literals;
constexpr core::Now kNow{core::Instant(1h), 1'800'000'000};

TEST(Soonest, IsTheFirstOfThoseToCome) {  // R1
  Soonest due(kNow);
  EXPECT_EQ(due.at(), std::nullopt);
  due.add(std::nullopt);
  due.add(kNow.instant);  // passed: it waits for something else
  EXPECT_EQ(due.at(), std::nullopt);
  due.add(kNow.instant + 2s);
  due.add(kNow.instant + 1s);
  EXPECT_EQ(due.at(), kNow.instant + 1s);
}

TEST(Soonest, CountsWhatIsOverdue) {  // R1
  Soonest due(kNow);
  due.add(kNow.instant + 1s);
  due.overdue(kNow.instant - 1s);
  EXPECT_EQ(due.at(), kNow.instant - 1s);
}

}  // namespace soonest_test
}  // namespace graspd::sync
