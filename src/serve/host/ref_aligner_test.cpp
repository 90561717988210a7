#include "serve/host/ref_aligner.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace ref_aligner_test {

using namespace host_testing;
using grasp::Coordinate;

constexpr std::uint8_t kOwner = 1, kStranger = 2;
constexpr core::UnixSeconds kEarlier = 60;
constexpr std::size_t kCrowd = 3 * PullAligner::kPullsAtOnce;

// A repository that is served, and a crowd of pull requests for what it has. Nobody has looked at
// them yet.
class CrowdedRepository : public ::testing::Test {
 protected:
  CrowdedRepository() {
    CHECK(world.ask(announcement(kOwner, "us.example")) == Outcome::Held);
    commit = commit_into(hosting(), repo, "text").hex();
    CHECK(world.ask(state("main", kEarlier)) == Outcome::Stored);
    world.host->close();  // nobody but the test aligns anything
    for (std::size_t i = 0; i < kCrowd; ++i)
      hold(signed_event(kStranger, 1618,
                        {{"a", "30617:" + repo.owner.hex() + ":project"},
                         {"c", commit},
                         {"n", std::to_string(i)}}));
  }

  Hosting& hosting() { return world.host->hosting(); }
  nostr::Event state(const std::string& branch, core::UnixSeconds ago = 0) {
    auto event = signed_event(kOwner, 30618, {{"d", "project"}, {"refs/heads/" + branch, commit}});
    event.created_at -= ago;
    keypair(kOwner).sign(event, {});
    return event;
  }
  // As a decision leaves it, before it is settled.
  void hold(const nostr::Event& event) {
    const auto wire = wired(event);
    grasp::Verdict verdict = grasp::Take{};
    CHECK(hosting().change_and_wait(
        [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
          verdict = policy.decide(wire, {}, now, changes);
        }));
    CHECK(std::holds_alternative<grasp::LookForData>(verdict));
  }
  std::size_t waiting() { return hosting().known()->purgatory().pulls().count(repo.identifier); }
  bool is_state_waiting() { return hosting().known()->purgatory().state(repo) != nullptr; }
  RefAligner::Result run(AlignmentScope scope) {
    return RefAligner(hosting(), repo.identifier).run(std::move(scope));
  }
  AlignmentScope around_owner() { return around(*hosting().known(), repo, 16); }
  AlignmentScope around_state_of_owner() {
    return around_state(*hosting().known(), repo.owner, repo.identifier, 16);
  }

  Host world;
  const Coordinate repo{keypair(kOwner).public_key(), *grasp::Identifier::parse("project")};
  std::string commit;
};

TEST_F(CrowdedRepository, R9_DoesNotKeepAStateWaiting) {
  hold(state("other"));
  const auto result = run(around_state_of_owner());
  EXPECT_FALSE(is_state_waiting());
  EXPECT_EQ(waiting(), kCrowd);
  EXPECT_FALSE(result.unfinished);  // whoever sent the pull requests has them looked at
}

TEST_F(CrowdedRepository, R9_KeepsAPushWaitingForAFewPullRequests) {
  const auto result = run(around_owner());
  EXPECT_EQ(waiting(), kCrowd - PullAligner::kPullsAtOnce);
  EXPECT_TRUE(result.unfinished);
}

TEST_F(CrowdedRepository, R9_IsServedWholeInTheEnd) {
  auto slices = serve::slices(*hosting().known(), repo.identifier, 8);
  for (AlignmentScope& slice : slices) run(std::move(slice));
  EXPECT_EQ(waiting(), 0U);
}

}  // namespace ref_aligner_test
}  // namespace graspd::serve
