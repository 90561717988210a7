// Rule numbers are those of serve/host/ref_aligner.h.
#include "serve/host/state_aligner.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace state_aligner_test {

using namespace host_testing;
using grasp::Coordinate;

constexpr std::uint8_t kOwner = 1, kFriend = 2, kStranger = 3;
constexpr core::UnixSeconds kEarlier = 60;
const git::RefName kMain = *git::RefName::parse("refs/heads/main");

nostr::Event naming(std::uint8_t by, std::uint8_t maintainer) {
  auto event = announcement(by, "us.example");
  event.tags.begin_row();
  event.tags.append("maintainers");
  event.tags.append(keypair(maintainer).public_key().hex());
  keypair(by).sign(event, {});
  return event;
}

// An owner and a friend who maintain the same thing, and a stranger who names the owner.
class StateAlignment : public ::testing::Test {
 protected:
  StateAlignment() {
    CHECK(world.ask(naming(kOwner, kFriend)) == Outcome::Held);
    CHECK(world.ask(naming(kFriend, kOwner)) == Outcome::Held);
    CHECK(world.ask(naming(kStranger, kOwner)) == Outcome::Held);
  }

  Hosting& hosting() { return world.host->hosting(); }
  // Nobody but the test aligns anything from here on.
  void alone() { world.host->close(); }
  git::Oid commit_in(std::uint8_t owner, const std::string& text) {
    return commit_into(hosting(), project_of(owner), text);
  }
  nostr::Event state(const git::Oid& tip, core::UnixSeconds ago = 0) {
    auto event = signed_event(kOwner, 30618, {{"d", "project"}, {"refs/heads/main", tip.hex()}});
    event.created_at -= ago;
    keypair(kOwner).sign(event, {});
    return event;
  }
  void hold(const nostr::Event& event) {
    CHECK(hosting().change_and_wait(
        [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
          policy.decide(wired(event), {}, now, changes);
        }));
  }
  std::optional<git::Oid> main_of(std::uint8_t owner) {
    const auto here = gitio::Repository::open(hosting().shown(project_of(owner)));
    return here ? here->find(kMain) : std::nullopt;
  }
  AlignmentContext context(std::vector<Coordinate> repos, bool patient = false) {
    return {hosting(),
            project_of(kOwner).identifier,
            {.repos = std::move(repos), .pulls = {}, .patient = patient}};
  }

  Host world;
};

TEST_F(StateAlignment, R1_SetsRefsWhenAllObjectsAreHereAndReleasesBothEvents) {
  alone();
  const git::Oid tip = commit_in(kOwner, "text");
  hold(state(tip));
  auto one = context({project_of(kOwner)});
  StateAligner(one).align();
  EXPECT_EQ(main_of(kOwner), tip);
  EXPECT_EQ(one.released.size(), 2U);  // the announcement and the state
  EXPECT_FALSE(one.result.failed);
}

TEST_F(StateAlignment, R1_MovesNothingWhileObjectsAreMissing) {
  alone();
  commit_in(kOwner, "text");
  hold(state(*git::Oid::parse(std::string(40, 'a'))));
  auto one = context({project_of(kOwner)});
  StateAligner(one).align();
  EXPECT_EQ(main_of(kOwner), std::nullopt);
  EXPECT_TRUE(one.released.empty());
}

TEST_F(StateAlignment, R1_CopiesBetweenRepositoriesThatOneStateRules) {
  alone();
  const git::Oid tip = commit_in(kOwner, "text");
  hold(state(tip));
  auto one = context({project_of(kOwner), project_of(kFriend)});
  StateAligner(one).align();
  EXPECT_EQ(main_of(kFriend), tip);
}

TEST_F(StateAlignment, R5_CopiesToStrangersWhenNobodyWaits) {
  alone();
  const git::Oid tip = commit_in(kOwner, "text");
  hold(state(tip));
  const std::vector<Coordinate> both{project_of(kOwner), project_of(kStranger)};
  auto hurried = context(both);
  StateAligner(hurried).align();
  EXPECT_EQ(main_of(kStranger), std::nullopt);
  EXPECT_TRUE(hurried.result.unfinished);
  auto patient = context(both, true);
  StateAligner(patient).align();
  EXPECT_EQ(main_of(kStranger), tip);
}

TEST_F(StateAlignment, R3_ReleasesASupersededStateAndMovesNothing) {
  const git::Oid tip = commit_in(kOwner, "text");
  ASSERT_EQ(world.ask(state(tip, 2 * kEarlier)), Outcome::Stored);
  alone();
  const git::Oid other = commit_in(kOwner, "other");
  auto by_friend =
      signed_event(kFriend, 30618, {{"d", "project"}, {"refs/heads/main", other.hex()}});
  by_friend.created_at -= kEarlier;
  keypair(kFriend).sign(by_friend, {});
  hold(by_friend);
  const git::Oid newest = *git::Oid::parse(std::string(40, 'c'));
  hold(state(newest));
  auto one = context({project_of(kOwner)});
  StateAligner(one).align();
  ASSERT_EQ(one.released.size(), 1U);
  EXPECT_EQ(one.released[0]->event.id, by_friend.id);
  EXPECT_EQ(main_of(kOwner), tip);
}

}  // namespace state_aligner_test
}  // namespace graspd::serve
