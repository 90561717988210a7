#include "grasp/new_repositories.h"

#include <gtest/gtest.h>

namespace graspd::grasp::new_repositories_test {
namespace {

constexpr core::UnixSeconds kDay = 24 * 3600, kNow = 1'800'000'000;

std::size_t brings(NewRepositories& repositories, const std::string& source, std::size_t tries,
                   core::UnixSeconds now) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < tries; ++i) {
    if (!repositories.may_bring(source, now)) continue;
    repositories.brought(source, now);
    ++taken;
  }
  return taken;
}

TEST(NewRepositories, AreBoundedForEachRelayByItself) {  // R1
  NewRepositories repositories(100);
  EXPECT_EQ(brings(repositories, "wss://a", 500, kNow), 100u);
  EXPECT_EQ(brings(repositories, "wss://b", 50, kNow), 50u);
}

TEST(NewRepositories, ComeBackEvenlyOverADay) {  // R1
  NewRepositories repositories(100);
  brings(repositories, "wss://a", 500, kNow);
  EXPECT_EQ(brings(repositories, "wss://a", 500, kNow + kDay / 4), 25u);
  EXPECT_EQ(brings(repositories, "wss://a", 500, kNow + kDay / 4), 0u);
  EXPECT_EQ(brings(repositories, "wss://a", 500, kNow + 3 * kDay), 100u);
}

TEST(NewRepositories, AreNotBoundedByALimitOfZero) {
  NewRepositories repositories(0);
  EXPECT_EQ(brings(repositories, "wss://a", 5'000, kNow), 5'000u);
}

TEST(NewRepositories, RememberOnlyRelaysThatBroughtSomethingOfLate) {  // R2
  NewRepositories repositories(2);
  for (std::size_t i = 0; i < NewRepositories::kSourcesMax; ++i)
    repositories.brought(std::to_string(i), kNow);
  EXPECT_EQ(repositories.sources(), NewRepositories::kSourcesMax);
  repositories.brought("wss://a", kNow + kDay);
  EXPECT_EQ(repositories.sources(), 1u);
}

}  // namespace
}  // namespace graspd::grasp::new_repositories_test
