#include "serve/git/git_bounds.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace git_bounds_test {

constexpr std::uint64_t kMebibyte = 1ULL << 20, kGibibyte = 1ULL << 30;

TEST(GitBounds, GiveUnsignedPushesHalfAGibibyteAndAMinute) {  // R1
  for (const auto size : {PackSize::Small, PackSize::Unknown}) {
    EXPECT_EQ(push_bounds(true, size, {2 * kGibibyte, 8 * kGibibyte}),
              (git::Bounds{512 * kMebibyte, 60}));
    EXPECT_EQ(push_bounds(true, size, {0, 0}), (git::Bounds{512 * kMebibyte, 60}));
  }
  EXPECT_EQ(push_cpu_seconds(true, 0), 60u);
  EXPECT_EQ(push_cpu_seconds(true, 4 * kGibibyte), 60u);
}

TEST(GitBounds, GiveSignedPushesWhatTheirSizeAsksFor) {  // R2
  const GitMemory memory{2 * kGibibyte, 8 * kGibibyte};
  EXPECT_EQ(push_bounds(false, PackSize::Small, memory).memory_bytes, 512 * kMebibyte);
  EXPECT_EQ(push_bounds(false, PackSize::Unknown, memory).memory_bytes, 0u);
  EXPECT_EQ(cost(push_bounds(false, PackSize::Unknown, memory), memory), 2 * kGibibyte);
  EXPECT_EQ(push_bounds(false, PackSize::Unknown, {0, 0}).memory_bytes, 0u);
  EXPECT_EQ(push_cpu_seconds(false, 50'000), 60u);
  EXPECT_GT(push_cpu_seconds(false, kGibibyte), 3'600u);
}

TEST(GitBounds, GiveFetchesWhatTheirRepositoryAsksFor) {  // R3
  const GitMemory memory{2 * kGibibyte, 8 * kGibibyte};
  EXPECT_EQ(fetch_bounds(0, memory).memory_bytes, 384 * kMebibyte);
  EXPECT_EQ(fetch_bounds(100 * kMebibyte, memory).memory_bytes, 584 * kMebibyte);
  EXPECT_EQ(fetch_bounds(5 * kGibibyte, memory).memory_bytes, 0u);
  EXPECT_EQ(cost(fetch_bounds(5 * kGibibyte, memory), memory), 2 * kGibibyte);
}

TEST(GitBounds, GiveNobodyMoreThanHalfOfTheBudget) {  // R4
  const GitMemory small{2 * kGibibyte, 600 * kMebibyte};
  EXPECT_EQ(push_bounds(true, PackSize::Small, small).memory_bytes, 300 * kMebibyte);
  EXPECT_EQ(push_bounds(false, PackSize::Unknown, small).memory_bytes, 300 * kMebibyte);
  EXPECT_EQ(fetch_bounds(kGibibyte, small).memory_bytes, 300 * kMebibyte);
  EXPECT_EQ(cost({0, 0}, {0, 600 * kMebibyte}), 300 * kMebibyte);
  EXPECT_EQ(cost({kMebibyte, 0}, small), kMebibyte);
}

}  // namespace git_bounds_test
}  // namespace graspd::serve
