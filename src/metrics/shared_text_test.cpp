#include "metrics/shared_text.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace graspd::metrics {
namespace shared_text_test {

TEST(SharedText, IsMadeOnceInItsLifetime) {  // R1
  core::Instant now{};
  int made = 0;
  SharedText shared([&] { return std::to_string(++made); }, core::Duration(1'000),
                    [&] { return now; });
  EXPECT_EQ(shared.text(), "1");
  now += core::Duration(999);
  EXPECT_EQ(shared.text(), "1");
  now += core::Duration(1);
  EXPECT_EQ(shared.text(), "2");
}

TEST(SharedText, IsNeverMadeTwiceAtATime) {  // R2
  std::atomic<int> made = 0;
  std::atomic<int> asking = 0;
  constexpr int kThreads = 8;
  SharedText shared(
      [&] {
        while (asking < kThreads) std::this_thread::yield();  // all are there before it is done
        return std::to_string(++made);
      },
      core::Duration(1'000), [] { return core::Instant{}; });
  std::vector<std::jthread> threads;
  std::atomic<int> same = 0;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      ++asking;
      if (shared.text() == "1") ++same;
    });
  threads.clear();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(same, kThreads);
}

}  // namespace shared_text_test
}  // namespace graspd::metrics
