#include "serve/host/repository_maintenance.h"

#include <gtest/gtest.h>

#include "gitio/staging.h"
#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace repository_maintenance_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1;

class MaintainedRepository : public ::testing::Test {
 protected:
  MaintainedRepository() {
    serve_project(world, kOwner);
    world.host->close();  // with its own maintenance
  }
  Hosting& hosting() { return world.host->hosting(); }

  Host world;
  RepositoryMaintenance maintenance{hosting()};
};

TEST_F(MaintainedRepository, R2_IsNotRemovedWhileItIsOpen) {
  bool was_told = false;
  maintenance.remove(project_of(kOwner), [&] { was_told = true; });
  maintenance.stop();  // what is queued is done
  EXPECT_TRUE(was_told);
  EXPECT_TRUE(hosting().has_repository(project_of(kOwner)));
}

TEST_F(MaintainedRepository, R2_IsRemovedWhenItIsNotOpenAnyMore) {
  ASSERT_EQ(world.ask(signed_event(kOwner, 5, {{"a", address_of(kOwner)}})), Outcome::Stored);
  bool was_there = true;
  maintenance.remove(project_of(kOwner),
                     [&] { was_there = hosting().has_repository(project_of(kOwner)); });
  maintenance.stop();
  EXPECT_FALSE(was_there);
}

TEST_F(MaintainedRepository, DiscardsUploads) {
  auto staging =
      gitio::Staging::create(hosting().options.root, hosting().path(project_of(kOwner)), "token");
  ASSERT_TRUE(staging && staging->keep());
  maintenance.discard_upload("token");
  maintenance.discard_upload("unknown");
  maintenance.stop();
  EXPECT_FALSE(gitio::Staging::reopen(hosting().options.root, "token"));
}

}  // namespace repository_maintenance_test
}  // namespace graspd::serve
