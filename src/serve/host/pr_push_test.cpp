#include "serve/host/pr_push.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace pr_push_test {

using namespace host_testing;

constexpr std::uint8_t kContributor = 2;

GraspHostOptions with_pr_repositories() {
  GraspHostOptions options;
  options.policy.pr_repositories = true;
  return options;
}

// A contributor to a repository that another server hosts.
class PushedPr : public ::testing::Test {
 protected:
  Hosting& hosting() { return world.host->hosting(); }
  PrPush& pushes() { return world.host->pr_pushes(); }

  gitio::Staging receive(const std::string& text) {
    auto staging = gitio::Staging::create(hosting().options.root, pushes().path(pr_repository),
                                          "t" + std::to_string(++pushed_));
    CHECK(staging);
    commit = gitio::testing::commit(staging->path(), text);
    return *std::move(staging);
  }
  nostr::Event pull_request(const git::Oid& tip) {
    const std::string npub = nostr::nip19::npub(keypair(kContributor).public_key());
    return signed_event(kContributor, 1618,
                        {{"a", address_of(9)},
                         {"c", tip.hex()},
                         {"clone", "https://us.example/prs/" + npub + "/project.git"}});
  }
  git::PushRequest request(const git::RefName& ref) { return {.commands = {{{}, commit, ref}}}; }
  std::optional<std::string> push(const git::RefName& ref, gitio::Staging staging) {
    return pushes().deliver(pr_repository, request(ref), std::move(staging)).at(0).refusal;
  }
  std::optional<git::Oid> at(const nostr::EventId& id) {
    return hosting().pr_repositories.find(pr_repository, id);
  }

  Host world{with_pr_repositories()};
  const grasp::Coordinate pr_repository = project_of(kContributor);
  git::Oid commit;

 private:
  int pushed_ = 0;
};

TEST_F(PushedPr, R1_TakesNothingButPullRequests) {
  const auto why = push(*git::RefName::parse("refs/heads/main"), receive("text"));
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->starts_with("GRASP-06: only pushes to refs/nostr")) << *why;  // R5
}

TEST_F(PushedPr, R2_TakesTheCommitOfAnEventThatIsHereAndServesIt) {
  auto staging = receive("text");
  const auto pull = pull_request(commit);
  ASSERT_EQ(world.ask(pull), Outcome::Held);
  EXPECT_EQ(push(pull_ref(pull.id), std::move(staging)), std::nullopt);
  EXPECT_EQ(at(pull.id), commit);
  EXPECT_TRUE(world.store.contains(pull.id));
  EXPECT_EQ(hosting().known()->purgatory().pull(pull.id), nullptr);
}

TEST_F(PushedPr, R2_RefusesAnotherCommit) {
  const auto pull = pull_request(*git::Oid::parse(std::string(40, 'b')));
  ASSERT_EQ(world.ask(pull), Outcome::Held);
  EXPECT_NE(push(pull_ref(pull.id), receive("text")), std::nullopt);
  EXPECT_EQ(at(pull.id), std::nullopt);
}

TEST_F(PushedPr, R3_KeepsACommitUntilItsEventComes) {
  auto staging = receive("text");
  const auto pull = pull_request(commit);
  EXPECT_EQ(push(pull_ref(pull.id), std::move(staging)), std::nullopt);
  EXPECT_EQ(at(pull.id), std::nullopt);
  EXPECT_EQ(hosting().known()->purgatory().uploads().of(pull.id).size(), 1U);
  EXPECT_EQ(world.ask(pull), Outcome::Stored);
  EXPECT_EQ(at(pull.id), commit);
  EXPECT_TRUE(hosting().known()->purgatory().uploads().of(pull.id).empty());
}

TEST_F(PushedPr, R3_WaitsAlone) {
  auto staging = receive("text");
  git::PushRequest two = request(pull_ref(pull_request(commit).id));
  two.commands.push_back(two.commands[0]);
  two.commands[1].ref = pull_ref(announcement(1, "us.example").id);
  EXPECT_FALSE(pushes().check(pr_repository, two).accepted());
}

}  // namespace pr_push_test
}  // namespace graspd::serve
