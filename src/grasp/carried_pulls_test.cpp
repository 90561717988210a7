#include "grasp/carried_pulls.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace carried_pulls_test {

using namespace testing;

class CarriedPulls : public ::testing::Test {
 protected:
  World world;

  void SetUp() override {
    world.serve(1, {.maintainers = {2}});
    world.serve(2, {.maintainers = {1}});
    world.serve(3);  // of the same name
  }
  void store(const nostr::WireEventPtr& pull) {
    world.send(pull);
    world.release({pull});
  }
  std::vector<nostr::EventId> carried(std::uint32_t owner, std::size_t max = 10) {
    const auto here = world.store().snapshot();
    const auto& authority = world.policy().catalog().authority(coordinate(owner));
    const auto pulls = carried_pulls(coordinate(owner), authority, **here, world.now, max);
    std::vector<nostr::EventId> ids;
    for (const PullRequest& pull : *pulls) ids.push_back(pull.id);
    return ids;
  }
};

TEST_F(CarriedPulls, NameTheRepositoryOrSomebodyWithASay) {
  const auto to_owner = pull_request(7, 1, 'b', kStart);
  const auto to_other = pull_request(7, 2, 'c', kStart + 1);
  const auto to_namesake = pull_request(7, 3, 'd', kStart + 2);
  for (const auto& pull : {to_owner, to_other, to_namesake}) store(pull);
  const std::vector both{to_other->event.id, to_owner->event.id};
  EXPECT_EQ(carried(1), both);
  EXPECT_EQ(carried(2), both);
  EXPECT_EQ(carried(3), std::vector{to_namesake->event.id});
}

TEST_F(CarriedPulls, AreStored) {
  world.send(pull_request(7, 1));
  EXPECT_TRUE(carried(1).empty());
}

TEST_F(CarriedPulls, R1AreTheNewest) {
  store(pull_request(7, 1, 'b', kStart));
  const auto newer = pull_request(7, 1, 'c', kStart + 1);
  store(newer);
  EXPECT_EQ(carried(1, 1), std::vector{newer->event.id});
}

TEST_F(CarriedPulls, R2NameACommit) {
  store(event(7, 1618, kStart, tags({{"a", address(1)}, {"c", "no commit"}})));
  EXPECT_TRUE(carried(1).empty());
}

}  // namespace carried_pulls_test
}  // namespace graspd::grasp
