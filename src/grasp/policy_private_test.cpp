// R17 of grasp/policy.h: what a private service takes.
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_private_test {

using namespace testing;

constexpr const char* kNoMember =
    "invalid: Announcement author is not authorized on this private service";

PolicyOptions private_options() {
  PolicyOptions with = testing::options();
  with.members = {author(1), author(2)};
  return with;
}

TEST(PolicyPrivate, TakesAnnouncementsOfMembersOnly) {  // R17
  World world(private_options());
  EXPECT_EQ(world.send(announcement(1)), "purgatory");
  for (const bool synced : {false, true}) EXPECT_EQ(world.send(announcement(3), synced), kNoMember);
  // Not even of somebody whom a member lists as a maintainer.
  world.serve(2, {.maintainers = {4}});
  EXPECT_EQ(world.send(announcement(4, {.listed = false})), kNoMember);
}

TEST(PolicyPrivate, TakesOtherEventsOfAnybody) {  // R17
  World world(private_options());
  world.serve(1);
  EXPECT_EQ(world.send(event(9, 1621, kStart, tags({{"a", address(1)}}))), "stored");
}

TEST(PolicyPrivate, TakesNewMembersAtOnce) {  // R17
  World world(private_options());
  const auto announced = announcement(3);
  EXPECT_EQ(world.send(announced), kNoMember);
  Transition changes;
  world.policy().use_members({author(1), author(3)}, world.now, changes);
  world.policy().commit();
  EXPECT_EQ(world.send(announced), "purgatory");
}

TEST(PolicyPrivate, ForgetsWhatWaitsOfWhoIsNoMemberAnyMore) {  // R17
  World world(private_options());
  world.serve(1);
  const auto waiting = announcement(2);
  world.send(waiting);
  Transition changes;
  world.policy().use_members({}, world.now, changes);
  world.policy().commit();
  EXPECT_FALSE(world.holds(waiting));
  EXPECT_TRUE(world.is_open(1));  // what is served stays
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 1})), kNoMember);
}

TEST(PolicyPrivate, TakesListsOfPrivateServersFromMembersAndParticipants) {  // R17
  World closed(private_options()), open;
  EXPECT_EQ(closed.send(event(1, 10318, kStart)), "stored");
  const std::string text =
      "restricted: Kind 10318 author must participate in an accepted repository thread";
  EXPECT_EQ(closed.send(event(9, 10318, kStart)), text);
  EXPECT_EQ(open.send(event(1, 10318, kStart)), text);
  open.serve(1);
  EXPECT_EQ(open.send(event(1, 10318, kStart)), "stored");
}

}  // namespace policy_private_test
}  // namespace graspd::grasp
