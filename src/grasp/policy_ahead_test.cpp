// R13: versions dated further ahead than the relay's admission allows.
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_ahead_test {

using testing::announcement;
using testing::coordinate;
using testing::deletion;
using testing::kStart;
using testing::state;
using testing::World;

constexpr core::UnixSeconds kLead = 86'400, kTenYears = 10 * 365 * 86'400;

// What an earlier program took, without any limit.
World lenient() {
  World world;
  world.serve(1);
  return world;
}

// What a start does with it.
struct Started {
  explicit Started(World& world, core::UnixSeconds lead = kLead)
      : policy(options(lead), world.store()) {
    EXPECT_TRUE(policy.load(world.now));
    Transition relisting = policy.take_relisting();
    is_nothing_due = relisting.empty();
    for (const AlignGroup& align : relisting.all<AlignGroup>()) recheck.insert(align.identifier);
    store::SortedChanges due;
    due.add(relisting.take_writes());
    std::vector<store::Write> back;
    for (const auto& wire : due.restored) back.push_back({wire, false});
    const auto written =
        world.store().write({back, due.removals, due.notes, due.revoked}, world.now);
    EXPECT_TRUE(written);
    for (const auto& one : *written) EXPECT_EQ(one.outcome, store::Outcome::Stored);
    Transition changes;
    policy.expire(world.now, changes);
    store::SortedChanges swept;
    swept.add(changes.take_writes());
    EXPECT_TRUE(world.store().write({{}, swept.removals, swept.notes}, world.now));
  }
  static PolicyOptions options(core::UnixSeconds lead) {
    PolicyOptions options = testing::options();
    options.created_at_ahead = lead;
    return options;
  }
  Verdict decide(const nostr::WireEventPtr& wire) {
    Transition changes;
    return policy.decide(wire, {}, kStart + 10, changes);
  }
  Policy policy;
  std::set<Identifier> recheck;
  bool is_nothing_due = false;
};

TEST(VersionsAhead, R13_AreForgottenAtTheStartAndWhatTheyReplacedIsBack) {
  World world = lenient();
  const auto before = world.ruling(1);
  const auto ahead = state(1, 'b', kStart + kTenYears);
  world.send(ahead);
  world.release({ahead});
  ASSERT_EQ(world.ruling(1), ahead->event.id);
  Started started(world);
  EXPECT_FALSE(world.has(ahead));
  EXPECT_EQ(started.policy.current().ruling(coordinate(1))->version.id, before);
  EXPECT_TRUE(started.recheck.contains(*Identifier::parse("project")));
  EXPECT_TRUE(std::holds_alternative<LookForData>(started.decide(state(1, 'c', kStart + 5))));
}

TEST(VersionsAhead, R13_LeaveNoFloorBehindWhenTheyWereDeleted) {
  World world = lenient();
  const auto ahead = state(1, 'b', kStart + kTenYears);
  world.send(ahead);
  world.release({ahead});
  ASSERT_EQ(world.send(deletion(1, {{"e", ahead->event.id.hex()}}, kStart + 1)), "stored");
  ASSERT_EQ(world.send(state(1, 'c', kStart + 5)), "duplicate: superseded by a newer event");
  Started started(world);
  EXPECT_TRUE(std::holds_alternative<LookForData>(started.decide(state(1, 'c', kStart + 5))));
  EXPECT_TRUE(world.notes("state-floor/").empty());
}

TEST(VersionsAhead, R13_OfAnnouncementsGiveTheRepositoryBack) {
  World world = lenient();
  const auto ahead = announcement(1, {.at = kStart + kTenYears, .maintainers = {7}});
  ASSERT_EQ(world.send(ahead), "stored");
  Started started(world);
  EXPECT_FALSE(world.has(ahead));
  EXPECT_TRUE(started.policy.current().is_open(coordinate(1)));
  EXPECT_FALSE(started.policy.catalog().authority(coordinate(1)).contains(testing::author(7)));
  EXPECT_TRUE(std::holds_alternative<Take>(started.decide(announcement(1, {.at = kStart + 5}))));
}

TEST(VersionsAhead, R13_DoNotWaitInPurgatoryEither) {
  World world;
  const auto ahead = announcement(1, {.at = kStart + kTenYears});
  world.send(ahead);
  ASSERT_TRUE(world.holds(ahead));
  Started started(world);
  EXPECT_EQ(started.policy.catalog().find(coordinate(1)), nullptr);
  EXPECT_TRUE(
      std::holds_alternative<LookForData>(started.decide(announcement(1, {.at = kStart + 5}))));
}

TEST(VersionsAhead, R13_StayWhenNothingIsTooFarAhead) {
  World world = lenient();
  const auto ahead = state(1, 'b', kStart + kTenYears);
  world.send(ahead);
  world.release({ahead});
  Started started(world, 0);
  EXPECT_TRUE(world.has(ahead));
  EXPECT_TRUE(started.is_nothing_due);
}

TEST(VersionsAhead, R13_RaiseNoFloorWhenTheyAreDeletedLater) {
  PolicyOptions options = testing::options();
  options.created_at_ahead = kLead;
  World world(options);
  world.serve(1);
  const auto ahead = state(1, 'b', kStart + kTenYears);  // by whatever way it came
  world.send(ahead);
  world.release({ahead});
  ASSERT_EQ(world.send(deletion(1, {{"e", ahead->event.id.hex()}}, kStart + 1)), "stored");
  EXPECT_TRUE(world.notes("state-floor/").empty());
  EXPECT_EQ(world.send(state(1, 'c', kStart + 5)), "purgatory");
}

}  // namespace policy_ahead_test
}  // namespace graspd::grasp
