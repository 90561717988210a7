#include "serve/host/alignments.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace alignments_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1;

class Watching : public HostWatcher {
 public:
  void settled(const grasp::Identifier&) override {
    std::lock_guard lock(mutex_);
    ++settled_;
    changed_.notify_all();
  }
  void push_failed(const grasp::Coordinate& repository) override { failed.push_back(repository); }
  int settled() {
    std::lock_guard lock(mutex_);
    return settled_;
  }
  bool wait_for(int times) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return settled_ >= times; });
  }
  std::vector<grasp::Coordinate> failed;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int settled_ = 0;
};

class AlignedRepository : public ::testing::Test {
 protected:
  AlignedRepository() {
    CHECK(world.ask(announcement(kOwner, "us.example")) == Outcome::Held);
    world.host->close();  // with its own alignments
    const auto folder = hosting().path(project_of(kOwner));
    gitio::testing::make_repository(folder);
    tip = gitio::testing::commit(folder, "begin");
    const auto state =
        signed_event(kOwner, 30618, {{"d", "project"}, {"refs/heads/main", tip.hex()}});
    CHECK(hosting().change_and_wait(
        [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
          policy.decide(wired(state), {}, now, changes);
        }));
    alignments.watch(watcher);
  }
  ~AlignedRepository() override {
    alignments.stop();
    alignments.unwatch(watcher);
  }
  Hosting& hosting() { return world.host->hosting(); }
  std::size_t served() { return hosting().known()->catalog().served_repos(); }

  Host world;
  git::Oid tip;
  Watching watcher;
  Alignments alignments{hosting(), 1};
};

TEST_F(AlignedRepository, R1_IsServedWhenThisReturns) {
  alignments.align(project_of(kOwner));
  EXPECT_EQ(served(), 1U);
  EXPECT_EQ(watcher.settled(), 1);  // R3
}

TEST_F(AlignedRepository, R1_IsServedWhenItsSenderIsAnswered) {
  alignments.align_for(announcement(kOwner, "us.example"));
  EXPECT_EQ(served(), 1U);
}

TEST_F(AlignedRepository, IsServedInTheEnd) {
  alignments.post(project_of(kOwner).identifier);
  ASSERT_TRUE(watcher.wait_for(1));
  EXPECT_EQ(served(), 1U);
}

TEST_F(AlignedRepository, R2_IsTriedAgainWhenItCouldNotBeWritten) {
  world.store.is_full = true;
  alignments.align(project_of(kOwner));
  EXPECT_EQ(served(), 0U);
  world.store.is_full = false;
  alignments.post_failed(net::now().instant);  // too early
  alignments.post_failed(net::now().instant + std::chrono::hours(1));
  ASSERT_TRUE(watcher.wait_for(2));
  EXPECT_EQ(served(), 1U);
}

TEST_F(AlignedRepository, R3_TellsOnlyThoseWhoWatch) {
  alignments.push_failed(project_of(kOwner));
  EXPECT_EQ(watcher.failed, std::vector{project_of(kOwner)});
  alignments.unwatch(watcher);
  alignments.push_failed(project_of(kOwner));
  alignments.align(project_of(kOwner));
  EXPECT_EQ(watcher.failed.size(), 1U);
  EXPECT_EQ(watcher.settled(), 0);
}

}  // namespace alignments_test
}  // namespace graspd::serve
