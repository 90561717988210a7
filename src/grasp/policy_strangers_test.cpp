// R14 and R15: what people who take no part here may leave, and send to others.
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_strangers_test {

using namespace testing;

PolicyOptions tight() {
  PolicyOptions options = testing::options();
  options.stranger_requests.entries_per_key = 2;
  options.stranger_lists.bytes_max = 4'000;
  return options;
}
nostr::WireEventPtr about(std::uint32_t by, std::uint32_t owner, core::UnixSeconds at = kStart) {
  return event(by, 1621, at, tags({{"a", address(owner)}}));
}
nostr::WireEventPtr deletes(std::uint32_t by, const nostr::WireEventPtr& what,
                            core::UnixSeconds at = kStart + 1) {
  return deletion(by, {{"e", what->event.id.hex()}}, at);
}
nostr::WireEventPtr vanish(std::uint32_t by, core::UnixSeconds at = kStart + 1) {
  return event(by, 62, at, tags({{"relay", "ALL_RELAYS"}}));
}
std::size_t pooled(World& world) { return world.known().stranger_requests().size(); }

TEST(PolicyStrangers, R14_RequestsThatConcernNothingAreObeyedWhileTheyAreKept) {
  World world(tight());
  world.serve(1);
  const auto first = about(5, 1), second = about(5, 1, kStart + 1), third = about(5, 1, kStart + 2);
  const auto one = deletes(5, first), two = deletes(5, second), three = deletes(5, third);
  for (const auto& request : {one, two}) EXPECT_EQ(world.send(request), "stored");
  EXPECT_EQ(world.send(first), "blocked: this event is deleted");
  world.restart();
  EXPECT_EQ(world.send(three), "stored");  // and the oldest goes
  EXPECT_FALSE(world.has(one));
  EXPECT_TRUE(world.has(two));
  EXPECT_EQ(world.send(first), "stored");
  EXPECT_EQ(world.send(second), "blocked: this event is deleted");
  EXPECT_EQ(world.send(third), "blocked: this event is deleted");
  EXPECT_EQ(pooled(world), 2U);
  EXPECT_EQ(world.notes("stranger-request/").size(), 2U);
}

TEST(PolicyStrangers, R14_ManyAtOnceAreBoundedToo) {
  World world(tight());
  Events many;
  for (int i = 0; i < 20; ++i) many.push_back(deletes(5, about(6, 7, kStart + i), kStart + i));
  world.send_together(many);
  EXPECT_EQ((*world.store().snapshot())->size(), 2U);
  EXPECT_TRUE(world.has(many[18]));
  EXPECT_TRUE(world.has(many[19]));
}

TEST(PolicyStrangers, R14_RequestsAboutWhatIsHereAreKeptForGood) {
  World world(tight());
  world.serve(1);
  Events requests;
  for (int i = 0; i < 5; ++i) {
    const auto issue = about(5, 1, kStart + i);
    ASSERT_EQ(world.send(issue), "stored");
    requests.push_back(deletes(5, issue, kStart + 10 + i));
    EXPECT_EQ(world.send(requests.back()), "stored");
  }
  for (const auto& request : requests) EXPECT_TRUE(world.has(request));
  EXPECT_EQ(pooled(world), 0U);
}

TEST(PolicyStrangers, R14_RequestsOfMaintainersAreKeptForGood) {
  World world(tight());
  world.serve(1, {.maintainers = {2}});
  for (const std::uint32_t who : {1, 2, static_cast<int>(kOperator)})
    for (int i = 0; i < 5; ++i) world.send(deletes(who, about(7, 9, kStart + i), kStart + 20 + i));
  EXPECT_EQ(pooled(world), 0U);
  EXPECT_GE((*world.store().snapshot())->size(), 15U);
}

// What waits costs nothing to make: deleting it gives no right to be remembered for ever.
TEST(PolicyStrangers, R14_RequestsAboutWhatOnlyWaitsAreBounded) {
  World world(tight());
  for (int i = 0; i < 5; ++i) {
    const auto announced = announcement(5, {.at = kStart + 2 * i});
    ASSERT_EQ(world.send(announced), "purgatory");
    EXPECT_EQ(world.send(deletes(5, announced, kStart + 2 * i + 1)), "stored");
    EXPECT_FALSE(world.holds(announced));
  }
  EXPECT_EQ(pooled(world), 2U);
}

TEST(PolicyStrangers, R14_RequestsToVanishAreBounded) {
  World world(tight());
  world.serve(1);
  const auto issue = about(6, 1);
  world.send(issue);
  EXPECT_EQ(world.send(vanish(6)), "stored");
  EXPECT_FALSE(world.has(issue));
  EXPECT_EQ(pooled(world), 0U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(world.send(vanish(5, kStart + i)), "stored");
  EXPECT_LE(pooled(world), 2U);
  EXPECT_EQ(world.send(about(5, 1, kStart)), "blocked: the author asked to vanish");
}

TEST(PolicyStrangers, R14_HaveSmallLists) {
  World world(tight());
  world.serve(1);
  const auto list = [](std::uint32_t by, std::size_t size, core::UnixSeconds at = kStart) {
    return event(by, 10317, at, {}, std::string(size, 'x'));
  };
  EXPECT_TRUE(world.send(list(5, 16'384)).starts_with("blocked: event size ("));
  EXPECT_EQ(world.send(list(1, 20'000)), "stored");
  EXPECT_EQ(world.send(list(5, 100)), "stored");
  EXPECT_EQ(world.send(list(5, 101, kStart + 1)), "stored");  // in its place
  EXPECT_EQ(world.send(list(6, 100)), "stored");
  EXPECT_EQ(world.known().stranger_lists().size(), 2U);
  EXPECT_EQ(world.send(list(7, 100)), "stored");
  EXPECT_FALSE(world.has(list(5, 101, kStart + 1)));
  EXPECT_TRUE(world.has(list(1, 20'000)));
  world.send(about(8, 1));
  EXPECT_EQ(world.send(list(8, 20'000)), "stored");  // who takes part is no stranger
}

TEST(PolicyStrangers, R15_EphemeralEventsAreMarked) {
  World world;
  world.serve(1);
  world.send(about(6, 1));
  const auto decide = [&](const nostr::WireEventPtr& wire) {
    Transition changes;
    return world.policy().decide(wire, {}, kStart, changes);
  };
  const auto is_marked = [&](const nostr::WireEventPtr& wire) {
    const Verdict verdict = decide(wire);
    return std::get<Take>(verdict).of_stranger;
  };
  EXPECT_TRUE(is_marked(event(5, 20'001, kStart)));
  EXPECT_FALSE(is_marked(event(1, 20'001, kStart)));
  EXPECT_FALSE(is_marked(event(6, 20'001, kStart)));
  EXPECT_FALSE(is_marked(event(5, 20'001, kStart, tags({{"a", address(1)}}))));
  EXPECT_FALSE(is_marked(event(1, 20'001, kStart, {}, std::string(100'000, 'x'))));
  const auto large = decide(event(5, 20'001, kStart, {}, std::string(16'384, 'x')));
  ASSERT_TRUE(std::holds_alternative<Refuse>(large));
  EXPECT_NE(std::get<Refuse>(large).text.find("16384 bytes"), std::string::npos);
}

}  // namespace policy_strangers_test
}  // namespace graspd::grasp
