// Rule numbers are those of serve/host/ref_aligner.h.
#include "serve/host/pull_aligner.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"
#include "serve/host/pull_refs.h"

namespace graspd::serve {
namespace pull_aligner_test {

using namespace host_testing;
using grasp::Coordinate;

constexpr std::uint8_t kOwner = 1, kOther = 2, kContributor = 3;

// Two repositories of one name whose owners have nothing to do with each other; both are served.
class PullAlignment : public ::testing::Test {
 protected:
  PullAlignment() {
    for (const std::uint8_t owner : {kOwner, kOther}) serve_project(world, owner);
    world.host->close();  // nobody but the test aligns anything
  }

  Hosting& hosting() { return world.host->hosting(); }
  nostr::Event pull_request(const git::Oid& tip, nostr::Tags more = {}) {
    nostr::Tags tags{{"a", address_of(kOwner)}, {"c", tip.hex()}};
    for (const nostr::Tag tag : more) {
      tags.begin_row();
      tags.append(tag.name());
      tags.append(tag.value());
    }
    return signed_event(kContributor, 1618, std::move(tags));
  }
  void hold(const nostr::Event& event) {
    CHECK(hosting().change_and_wait(
        [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
          policy.decide(wired(event), {}, now, changes);
        }));
  }
  git::Oid commit_in(std::uint8_t owner, const std::string& text) {
    return gitio::testing::commit(hosting().path(project_of(owner)), text);
  }
  std::optional<git::Oid> at(std::uint8_t owner, const nostr::EventId& pull) {
    return gitio::Repository::open(hosting().path(project_of(owner)))->find(pull_ref(pull));
  }
  AlignmentContext run(const nostr::EventId& pull) {
    AlignmentContext context{
        hosting(), project_of(kOwner).identifier, {.repos = {}, .pulls = {{pull}}}};
    PullAligner(context).align();
    return context;
  }

  Host world;
};

TEST_F(PullAlignment, R4_SetsTheRefWhereTheCommitIsAndReleasesTheEvent) {
  const auto pull = pull_request(commit_in(kOwner, "offered"));
  hold(pull);
  const auto done = run(pull.id);
  EXPECT_TRUE(at(kOwner, pull.id));
  ASSERT_EQ(done.released.size(), 1U);
  EXPECT_EQ(done.released[0]->event.id, pull.id);
}

TEST_F(PullAlignment, R4_WaitsForACommitThatIsNotHere) {
  const auto pull = pull_request(*git::Oid::parse(std::string(40, 'a')));
  hold(pull);
  EXPECT_TRUE(run(pull.id).released.empty());
  EXPECT_FALSE(at(kOwner, pull.id));
}

TEST_F(PullAlignment, R4_CopiesNothingBetweenPeopleWhoHaveNoMaintainerInCommon) {
  const auto pull = pull_request(commit_in(kOwner, "offered"), {{"a", address_of(kOther)}});
  hold(pull);
  run(pull.id);
  EXPECT_TRUE(at(kOwner, pull.id));
  EXPECT_FALSE(at(kOther, pull.id));
  EXPECT_FALSE(gitio::testing::holds(hosting().path(project_of(kOther)), *at(kOwner, pull.id)));
}

TEST_F(PullAlignment, R4_TakesWhatLiesInQuarantineForIt) {
  auto staging =
      gitio::Staging::create(hosting().options.root, hosting().path(project_of(kOwner)), "token");
  ASSERT_TRUE(staging);
  const git::Oid tip = gitio::testing::commit(staging->path(), "uploaded");
  const auto pull = pull_request(tip);
  ASSERT_TRUE(staging->keep());
  ASSERT_TRUE(hosting().change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        policy.purgatory().put_upload({.token = "token",
                                       .repo = project_of(kOwner),
                                       .event = pull.id,
                                       .commit = tip,
                                       .expires = now + 1'000},
                                      changes);
      }));
  hold(pull);
  const auto done = run(pull.id);
  EXPECT_EQ(at(kOwner, pull.id), tip);
  EXPECT_EQ(done.used_uploads, std::vector<std::string>{"token"});
  EXPECT_EQ(done.released.size(), 1U);
}

TEST_F(PullAlignment, SetsTheRefOfAServedOneAgain) {
  const auto pull = pull_request(commit_in(kOwner, "offered"));
  hold(pull);
  auto done = run(pull.id);
  ASSERT_TRUE(hosting().policy.release(
      done.released, [](grasp::Policy&, core::UnixSeconds, grasp::Transition&) {}));
  {
    const auto guard = hosting().repos.lock(hosting().key(project_of(kOwner)));
    ASSERT_TRUE(PullRefs(hosting(), project_of(kOwner)).drop({pull.id}));
  }
  EXPECT_TRUE(run(pull.id).released.empty());
  EXPECT_TRUE(at(kOwner, pull.id));
}

}  // namespace pull_aligner_test
}  // namespace graspd::serve
