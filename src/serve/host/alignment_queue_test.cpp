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
  // How many authors each was for.
  std::vector<std::size_t> rulers() {
    std::lock_guard lock(mutex_);
    return rulers_;
  }
  // Those that were about pull requests.
  std::vector<bool> were_pulls() {
    std::lock_guard lock(mutex_);
    return were_pulls_;
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
  void align(const Identifier& identifier, const AlignmentScope& slice) {
    std::unique_lock lock(mutex_);
    were_pulls_.push_back(!slice.pulls.empty());
    rulers_.push_back(slice.ruled_by ? slice.ruled_by->size() : 0);
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
  std::vector<bool> were_pulls_;
  std::vector<std::size_t> rulers_;

 public:
  AlignmentQueue queue{1,
                       [this](const Identifier& identifier) {
                         const AlignmentScope slice{.repos = {{{}, identifier}}, .pulls = {}};
                         return std::deque<AlignmentScope>(slices_, slice);
                       },
                       [this](const Identifier& identifier, const AlignmentScope& slice) {
                         align(identifier, slice);
                       }};
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

TEST(AlignmentQueue, GoesThroughRepositoriesOnceMoreHoweverOftenTheyAreAskedFor) {  // R2
  World world(0);
  const std::vector<grasp::Coordinate> repos{{nostr::PublicKey(), named("crowd")}};
  world.queue.post(named("crowd"), repos);
  ASSERT_TRUE(world.comes_to(1));
  for (int i = 0; i < 100; ++i) world.queue.post(named("crowd"), repos);
  world.let_go(100);
  ASSERT_TRUE(world.comes_to_rest());
  EXPECT_EQ(world.begun().size(), 2U);
}

TEST(AlignmentQueue, GoesThroughTheRepositoriesOfAuthorsTogether) {  // R2
  World world(2);
  const auto author = [](std::uint8_t number) {
    nostr::PublicKey::Bytes bytes{};
    bytes[0] = number;
    return nostr::PublicKey(bytes);
  };
  world.queue.post(named("crowd"), author(0));
  ASSERT_TRUE(world.comes_to(1));
  for (std::uint8_t i = 0; i < 100; ++i) world.queue.post(named("crowd"), author(i));
  world.let_go(100);
  ASSERT_TRUE(world.comes_to_rest());
  EXPECT_EQ(world.rulers(), (std::vector<std::size_t>{1, 1, 100, 100}));
}

TEST(AlignmentQueue, LetsRepositoriesComeHoweverManyPullRequestsAreLeft) {  // R3
  World world(2);
  world.queue.post(named("crowd"), std::vector<PullScope>(5));
  ASSERT_TRUE(world.comes_to(1));
  world.queue.post(named("crowd"));
  world.let_go(100);
  ASSERT_TRUE(world.comes_to_rest());
  EXPECT_EQ(world.were_pulls(), (std::vector<bool>{true, false, true, false, true, true, true}));
}

}  // namespace alignment_queue_test
}  // namespace graspd::serve
