// How many people announcements may name.
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_people_test {

using namespace testing;

std::vector<std::uint32_t> people(std::uint32_t from, std::uint32_t count) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(from + i);
  return all;
}

TEST(PolicyPeople, MayListOnlySoManyMaintainers) {
  World world;
  EXPECT_EQ(world.send(announcement(1, {.maintainers = people(100, 64)})), "purgatory");
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 1, .maintainers = people(100, 65)})),
            "blocked: the announcement lists 65 maintainers, this server takes at most 64");
  EXPECT_TRUE(world.may_rule(163, 1));
}

TEST(PolicyPeople, MayGiveARepositoryOnlySoManyMembers) {
  PolicyOptions options = testing::options();
  options.members_max = 8;
  World world(options);
  world.serve(1, {.maintainers = people(10, 4)});
  world.serve(2, {.maintainers = {1}});
  const std::string text =
      "blocked: with this announcement the repository would have more than 8 maintainers, which is "
      "the most that this server takes";
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 1, .maintainers = people(10, 8)})), text);
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 2, .maintainers = people(10, 7)})),
            "stored");
  // Nobody is kept out because strangers point at them: of the stranger's the last do not count.
  EXPECT_TRUE(world.may_rule(16, 1));
  EXPECT_TRUE(world.may_rule(1, 2));
  EXPECT_EQ(world.policy().catalog().authority(coordinate(2)).members.size(), 8U);
  // Whoever has too many by others' doing may change the rest.
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 3, .maintainers = {1}})), "stored");
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 4, .maintainers = {1, 30}})), text);
}

TEST(PolicyPeople, OfAnEarlierProgramThatListMoreAreLoadedUpToTheBound) {
  PolicyOptions options = testing::options();
  options.listed_max = 1'000;
  World world(options);
  world.serve(1, {.maintainers = people(100, 90)});
  Policy later(testing::options(), world.store());
  ASSERT_TRUE(later.load(world.now));
  EXPECT_TRUE(later.current().is_open(coordinate(1)));
  const auto& members = later.catalog().authority(coordinate(1)).members;
  EXPECT_EQ(members.size(), 65U);
  EXPECT_TRUE(members.contains(author(100)));
  EXPECT_TRUE(members.contains(author(163)));
}

}  // namespace policy_people_test
}  // namespace graspd::grasp
