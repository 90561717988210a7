#include "serve/host/thread_archive.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace thread_archive_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1, kReader = 2;

// A repository with an issue, and an archive of its own: that of the host has ended.
class ArchivedThread : public ::testing::Test {
 protected:
  ArchivedThread() {
    serve_project(world, kOwner);
    CHECK(world.ask(issue) == Outcome::Stored);
    world.host->close();
  }
  void end_repository() {
    const auto deletion = signed_event(kOwner, 5, {{"a", address_of(kOwner)}});
    CHECK(world.ask(deletion) == Outcome::Stored);
    CHECK(!hosting().known()->catalog().find(project_of(kOwner)));
  }
  // Newer than what was deleted: its data is still here.
  nostr::Event announce_again() {
    auto again = announcement(kOwner, "us.example");
    again.created_at += 2;
    keypair(kOwner).sign(again, {});
    CHECK(hosting().change_and_wait(
        [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
          policy.decide(wired(again), {}, now, changes);
        }));
    CHECK(hosting().known()->catalog().find(project_of(kOwner)));
    return again;
  }
  void serve(const nostr::Event& announced) {
    CHECK(hosting().policy.release({wired(announced)}, [](const grasp::Policy&, core::UnixSeconds,
                                                          const grasp::Transition&) {}));
    CHECK(hosting().known()->is_served(project_of(kOwner)));
  }
  Hosting& hosting() { return world.host->hosting(); }

  Host world;
  const nostr::Event issue = signed_event(kReader, 1621, {{"a", address_of(kOwner)}});
  ThreadArchive archive{hosting()};
};

TEST_F(ArchivedThread, IsKeptApartAndComesBack) {
  end_repository();
  archive.archive({project_of(kOwner), {}});
  archive.stop();  // what is queued is done
  EXPECT_FALSE(world.store.contains(issue.id));

  const auto again = announce_again();
  ThreadArchive early(hosting());
  early.restore(project_of(kOwner));
  early.stop();
  EXPECT_FALSE(world.store.contains(issue.id));  // its repository only waits
  serve(again);
  ThreadArchive later(hosting());
  later.restore(project_of(kOwner));
  later.stop();
  EXPECT_TRUE(world.store.contains(issue.id));
}

TEST_F(ArchivedThread, R1_StaysWhenTheRepositoryIsAnnounced) {
  archive.archive({project_of(kOwner), {}});
  archive.remove({project_of(kOwner), {}});
  archive.stop();
  EXPECT_TRUE(world.store.contains(issue.id));
}

TEST_F(ArchivedThread, IsGoneForGoodWhenItIsForgotten) {
  end_repository();
  archive.archive({project_of(kOwner), {}});
  archive.forget(project_of(kOwner));
  archive.restore(project_of(kOwner));
  archive.stop();
  EXPECT_FALSE(world.store.contains(issue.id));
}

TEST_F(ArchivedThread, StaysWhenItCannotBeWritten) {
  end_repository();
  world.store.is_full = true;
  archive.archive({project_of(kOwner), {}});
  archive.stop();
  world.store.is_full = false;
  EXPECT_TRUE(world.store.contains(issue.id));
}

TEST_F(ArchivedThread, R2_LetsStatesWaitWithTheAnnouncement) {
  end_repository();
  archive.archive({project_of(kOwner), {}});
  archive.stop();
  const auto& identifier = project_of(kOwner).identifier;
  EXPECT_FALSE(hosting().known()->catalog().state_of(project_of(kOwner).owner, identifier));
  const auto again = announce_again();
  ThreadArchive later(hosting());
  later.restore_states(again);
  EXPECT_TRUE(hosting().known()->purgatory().state(project_of(kOwner)));
  EXPECT_FALSE(hosting().known()->catalog().state_of(project_of(kOwner).owner, identifier));
  EXPECT_FALSE(world.store.contains(issue.id));  // that follows when it is served
}

}  // namespace thread_archive_test
}  // namespace graspd::serve
