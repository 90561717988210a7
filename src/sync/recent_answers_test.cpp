#include "sync/recent_answers.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace recent_answers_test {

using namespace std::chrono_literals;
constexpr core::Instant kStart{1h};

TEST(RecentAnswers, TellWhetherMoreCameSince) {
  RecentAnswers answers;
  answers.saw(100, kStart);
  answers.saw(3, kStart + 1min);
  EXPECT_TRUE(answers.gave_more_than(50, kStart - 1min));
  EXPECT_FALSE(answers.gave_more_than(50, kStart));
  EXPECT_TRUE(answers.gave_more_than(2, kStart));
  EXPECT_FALSE(answers.gave_more_than(3, kStart));
}

TEST(RecentAnswers, KeepTheLargestHoweverManySmallOnesFollow) {
  RecentAnswers answers;
  answers.saw(100, kStart);
  for (int i = 90; i > 0; --i) answers.saw(static_cast<std::size_t>(i), kStart + 1min);
  EXPECT_TRUE(answers.gave_more_than(99, kStart - 1min));
}

}  // namespace recent_answers_test
}  // namespace graspd::sync
