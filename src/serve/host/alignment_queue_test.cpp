#include "serve/host/alignment_queue.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace graspd::serve {
namespace alignment_queue_test {

using grasp::Identifier;

Identifier named(const std::string& text) { return *Identifier::parse(text); }

// One thread that aligns what the test lets it, and what it did, in order.
class World {
 public:
  explicit World(std::size_t slices) : slices_(slices) {}

  void let_go(std::size_t count) {
    std::lock_guard lock(mutex_);
    allowed_ += count;
    changed_.notify_all();
  }
  // Has begun so many.
  bool comes_to(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return begun_.size() >= count; });
  }
  std::vector<std::string> begun() {
    std::lock_guard lock(mutex_);
    return begun_;
  }
  bool comes_to_rest() {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
         queue.size() > 0 && std::chrono::steady_clock::now() < end;)
      std::this_thread::yield();
    return queue.size() == 0;
  }

 private:
  void align(const Identifier& identifier) {
    std::unique_lock lock(mutex_);
    begun_.push_back(identifier.text());
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0; });
    --allowed_;
  }

  const std::size_t slices_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t allowed_ = 0;
  std::vector<std::string> begun_;

 public:
  AlignmentQueue queue{1, [this](const Identifier&) { return std::deque<AlignmentScope>(slices_); },
                       [this](const Identifier& identifier, AlignmentScope) { align(identifier); }};
};

TEST(AlignmentQueue, TakesTurnsAmongIdentifiers) {  // R1
  World world(3);
  world.queue.post(named("crowd"));
  ASSERT_TRUE(world.comes_to(1));
  world.queue.post(named("lone"));
  world.let_go(6);
  ASSERT_TRUE(world.comes_to_rest());
  EXPECT_EQ(world.begun(),
            (std::vector<std::string>{"crowd", "lone", "crowd", "lone", "crowd", "lone"}));
}

TEST(AlignmentQueue, GoesThroughAGroupOnceMoreHoweverOftenItIsAskedTo) {  // R2
  World world(2);
  world.queue.post(named("crowd"));
  ASSERT_TRUE(world.comes_to(1));
  for (int i = 0; i < 100; ++i) world.queue.post(named("crowd"));
  world.let_go(100);
  ASSERT_TRUE(world.comes_to_rest());
  EXPECT_EQ(world.begun().size(), 4U);
}

}  // namespace alignment_queue_test
}  // namespace graspd::serve
