#include "gitio/repo_locks.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace graspd::gitio {
namespace repo_locks_test {

using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return condition();
}

TEST(RepoLocks, LetOneInAtATime) {
  RepoLocks locks;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  int count = 0;  // guarded by the lock under test: ThreadSanitizer watches
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 500; ++turn) {
        const auto guard = locks.lock("a");
        most = std::max<int>(most, ++inside);
        ++count;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(count, 4'000);
}

TEST(RepoLocks, AreIndependentForDifferentKeys) {
  RepoLocks locks;
  const auto a = locks.lock("a");
  const auto b = locks.lock_for("b", 0ms);
  EXPECT_TRUE(b);
  EXPECT_FALSE(locks.lock_for("a", 0ms));
}

TEST(RepoLocks, R1_ServeInTheOrderOfComing) {
  RepoLocks locks;
  std::vector<int> order;
  std::vector<std::thread> threads;
  auto first = std::make_optional(locks.lock("a"));
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      const auto guard = locks.lock("a");
      order.push_back(i);
    });
    ASSERT_TRUE(eventually([&] { return locks.waiting("a") == static_cast<std::size_t>(i) + 1; }));
  }
  first.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(RepoLocks, R2_ForgetKeysThatNobodyUses) {
  RepoLocks locks;
  {
    const auto a = locks.lock("a");
    const auto b = locks.lock("b");
    EXPECT_EQ(locks.size(), 2u);
  }
  EXPECT_EQ(locks.size(), 0u);
}

TEST(RepoLocks, R3_LetAWaiterGiveUp) {
  RepoLocks locks;
  auto held = std::make_optional(locks.lock("a"));
  EXPECT_FALSE(locks.lock_for("a", 5ms));
  EXPECT_EQ(locks.waiting("a"), 0u);
  held.reset();
  EXPECT_TRUE(locks.lock_for("a", 0ms));
}

TEST(RepoLocks, MayBeReleasedByAnotherThread) {
  RepoLocks locks;
  auto guard = std::make_optional(locks.lock("a"));
  std::thread([moved = std::move(guard)]() mutable { moved.reset(); }).join();
  guard.reset();
  EXPECT_EQ(locks.size(), 0u);
}

}  // namespace repo_locks_test
}  // namespace graspd::gitio
