#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_threads_test {

using namespace testing;

const std::vector<Coordinate> kThis{coordinate(1)}, kNone{};

std::vector<Coordinate> ended(const Performed& performed) {
  std::vector<Coordinate> all;
  for (const Departed& gone : performed.ended_threads) all.push_back(gone.coordinate);
  return all;
}

nostr::WireEventPtr take_back(core::UnixSeconds at) { return deletion(1, {{"a", address(1)}}, at); }

TEST(PolicyThreads, EndWhenTheirAnnouncementIsTakenBack) {  // R12
  World world;
  world.serve(1);
  world.send(take_back(kStart + 1));
  EXPECT_EQ(ended(world.performed), kThis);
}

TEST(PolicyThreads, EndWhenItsAuthorVanishes) {  // R12
  World world;
  world.serve(1);
  world.send(event(1, 62, kStart + 1, tags({{"relay", "ALL_RELAYS"}})));
  EXPECT_EQ(ended(world.performed), kThis);
}

TEST(PolicyThreads, EndWhenItMovesElsewhere) {  // R12
  World world;
  world.serve(1);
  world.send(announcement(1, {.at = kStart + 1, .listed = false}));
  EXPECT_EQ(ended(world.performed), kThis);
}

TEST(PolicyThreads, StayWhenOneVersionOfItIsDeleted) {  // R12
  World world;
  const auto announced = world.serve(1);
  world.send(deletion(1, {{"e", announced->event.id.hex()}}, kStart + 1));
  EXPECT_EQ(ended(world.performed), kNone);
}

TEST(PolicyThreads, StayWhenItIsReplaced) {  // R12
  World world;
  world.serve(1);
  world.send(announcement(1, {.at = kStart + 1}));
  EXPECT_EQ(ended(world.performed), kNone);
  EXPECT_EQ(world.performed.recalled_threads, kNone);
}

TEST(PolicyThreads, ComeBackWithIt) {  // R12
  World world;
  world.serve(1);
  world.send(take_back(kStart + 1));
  world.restart();
  world.serve(1, {.at = kStart + 2});
  ASSERT_FALSE(world.performed.recalled_threads.empty());
  EXPECT_EQ(world.performed.recalled_threads.front(), coordinate(1));
  world.pass(options().removal_grace);
  EXPECT_EQ(world.performed.lost_threads, kNone);
}

TEST(PolicyThreads, AreLostWhenTheirTimeIsOver) {  // R12
  World world;
  world.serve(1);
  world.send(take_back(kStart + 1));
  world.restart();
  world.pass(options().removal_grace - 1);
  EXPECT_EQ(world.performed.lost_threads, kNone);
  world.pass(1);
  world.pass(5);
  EXPECT_EQ(world.performed.lost_threads, kThis) << "once, though they are not gone yet";
  Transition notes;
  world.policy().threads_settled(coordinate(1), notes);
  EXPECT_EQ(notes.all<store::Note>().size(), 1U);
}

TEST(PolicyThreads, AreTakenUpAgainAfterACrash) {  // R12
  World world;
  world.serve(1);
  world.send(take_back(kStart + 1));
  world.restart();
  const auto resumed = [&] {
    Transition changes;
    world.known().resume_threads(changes);
    Performed performed;
    for (const Change& change : changes.changes()) std::visit(performed, change);
    return performed;
  };
  EXPECT_EQ(resumed().ended_threads, world.performed.ended_threads) << "also the announcement";
  world.serve(1, {.at = kStart + 2});
  world.restart();
  EXPECT_EQ(ended(resumed()), kNone);
  EXPECT_EQ(resumed().recalled_threads, kThis);
}

}  // namespace policy_threads_test
}  // namespace graspd::grasp
