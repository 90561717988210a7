#include "grasp/policy_snapshot.h"

#include <gtest/gtest.h>
#include <thread>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_snapshot_test {
using namespace testing;

TEST(PolicySnapshot, StaysAsItWas) {  // R1
  World world;
  const auto announced = world.serve(1);
  const auto before = world.policy().snapshot();
  const auto contents = before->contents();
  world.send(deletion(1, {{"a", address(1)}}, kStart + 1));
  world.send(announcement(2));
  EXPECT_TRUE(before->is_open(coordinate(1)));
  EXPECT_EQ(before->contents(), contents);
  EXPECT_FALSE(world.policy().snapshot()->is_open(coordinate(1)));
  EXPECT_TRUE(world.policy().snapshot()->is_open(coordinate(2)));
}

TEST(PolicySnapshot, IsAskedByManyWhileTheOwnerGoesOn) {  // R1
  World world;
  for (std::uint32_t who = 1; who <= 40; ++who)
    world.send(announcement(who, {.maintainers = {who % 40 + 1, (who + 7) % 40 + 1}}));
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([known = world.policy().snapshot()] {
      for (std::uint32_t who = 1; who <= 40; ++who) {
        EXPECT_EQ(known->catalog().authority(coordinate(who)).members.size(), 40U);
        EXPECT_FALSE(
            known->catalog().repos_ruled_by(author(who), coordinate(1).identifier).empty());
        EXPECT_FALSE(known->ruling(coordinate(who)));
      }
    });
  for (std::uint32_t who = 1; who <= 40; ++who) {
    world.send(announcement(who, {.at = kStart + 1}));
    world.send(state(who, 'b', kStart + 1));
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(world.known().catalog().authority(coordinate(1)).members.size(), 1U);
}

}  // namespace policy_snapshot_test
}  // namespace graspd::grasp
