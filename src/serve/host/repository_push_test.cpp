#include "serve/host/repository_push.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace repository_push_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1, kContributor = 2;
const git::RefName kMain = *git::RefName::parse("refs/heads/main");

// A repository that is announced, and commits on their way into it.
class PushedRepository : public ::testing::Test {
 protected:
  PushedRepository() { CHECK(world.ask(announcement(kOwner, "us.example")) == Outcome::Held); }

  Hosting& hosting() { return world.host->hosting(); }
  RepositoryPush& pushes() { return world.host->pushes(); }

  // As `git receive-pack` leaves it.
  gitio::Staging receive(const std::string& text) {
    auto staging = gitio::Staging::create(hosting().options.root, hosting().shown(repository),
                                          "t" + std::to_string(++pushed_));
    CHECK(staging);
    commit = gitio::testing::commit(staging->path(), text);
    return *std::move(staging);
  }
  nostr::Event declare(const std::string& branch, const git::Oid& tip) {
    return signed_event(kOwner, 30618, {{"d", "project"}, {"refs/heads/" + branch, tip.hex()}});
  }
  nostr::Event pull_request(const git::Oid& tip) {
    return signed_event(kContributor, 1618, {{"a", address_of(kOwner)}, {"c", tip.hex()}});
  }
  git::PushRequest request(const git::RefName& ref) { return {.commands = {{{}, commit, ref}}}; }
  std::optional<git::Oid> at(const git::RefName& ref) {
    const auto here = gitio::Repository::open(hosting().shown(repository));
    return here ? here->find(ref) : std::nullopt;
  }
  // Why the first ref was refused, or nothing.
  std::optional<std::string> push(const git::RefName& ref, gitio::Staging staging) {
    return pushes().deliver(repository, request(ref), std::move(staging)).at(0).refusal;
  }

  Host world;
  const grasp::Coordinate repository = project_of(kOwner);
  git::Oid commit;

 private:
  int pushed_ = 0;
};

TEST_F(PushedRepository, R1_TakesWhatTheStateDeclaresAndServesBoth) {
  auto staging = receive("text");
  const auto state = declare("main", commit);
  ASSERT_EQ(world.ask(state), Outcome::Held);
  EXPECT_EQ(push(kMain, std::move(staging)), std::nullopt);
  EXPECT_EQ(at(kMain), commit);
  EXPECT_TRUE(world.store.contains(state.id));
  EXPECT_EQ(hosting().known()->catalog().served_repos(), 1U);  // in the next reader
  EXPECT_FALSE(hosting().known()->purgatory().states().has(repository.identifier));
}

TEST_F(PushedRepository, R1_RefusesWhatNoStateDeclares) {
  auto staging = receive("text");
  EXPECT_NE(push(kMain, receive("text")), std::nullopt);
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  const auto other = pushes().check(repository, request(*git::RefName::parse("refs/heads/other")));
  EXPECT_FALSE(other.accepted());
  EXPECT_FALSE(hosting().has_repository(repository));
}

TEST_F(PushedRepository, R2_KeepsACommitUntilItsEventComes) {
  auto first = receive("text");
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  ASSERT_EQ(push(kMain, std::move(first)), std::nullopt);

  auto staging = receive("offered");
  const auto pull = pull_request(commit);
  const git::RefName ref = pull_ref(pull.id);
  EXPECT_EQ(push(ref, std::move(staging)), std::nullopt);
  EXPECT_EQ(at(ref), std::nullopt);  // nobody sees it
  EXPECT_EQ(hosting().known()->purgatory().uploads().of(pull.id).size(), 1U);
  EXPECT_EQ(world.store.notes("purgatory/").size(), 1U);

  EXPECT_EQ(world.ask(pull), Outcome::Stored);
  EXPECT_EQ(at(ref), commit);
  EXPECT_TRUE(hosting().known()->purgatory().uploads().of(pull.id).empty());
}

TEST_F(PushedRepository, R2_RefusesAnotherCommitThanTheEventNames) {
  auto first = receive("text");
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  ASSERT_EQ(push(kMain, std::move(first)), std::nullopt);
  const auto pull = pull_request(*git::Oid::parse(std::string(40, 'b')));
  ASSERT_EQ(world.ask(pull), Outcome::Held);
  auto staging = receive("offered");
  const auto why = push(pull_ref(pull.id), std::move(staging));
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("specifies commit bbbb"), std::string::npos) << *why;
}

TEST_F(PushedRepository, SaysSoWhenAnUploadCannotBeNoted) {
  auto first = receive("text");
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  ASSERT_EQ(push(kMain, std::move(first)), std::nullopt);
  auto staging = receive("offered");
  world.store.is_full = true;
  EXPECT_EQ(push(pull_ref(pull_request(commit).id), std::move(staging)),
            "the server could not keep a record of it");
  EXPECT_TRUE(hosting().known()->purgatory().uploads().tokens().empty());
  world.store.is_full = false;
}

TEST_F(PushedRepository, R3_RefusesAPushAsAWhole) {
  auto staging = receive("text");
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  git::PushRequest two = request(kMain);
  two.commands.push_back({{}, commit, *git::RefName::parse("refs/heads/other")});
  for (const git::Result& result : pushes().deliver(repository, two, std::move(staging)))
    EXPECT_TRUE(result.refusal);
  EXPECT_EQ(at(kMain), std::nullopt);
}

TEST_F(PushedRepository, R6_RefusesABranchThatIsNoCommit) {
  auto staging = receive("text");
  commit = gitio::testing::blob(staging.path(), "no commit");
  ASSERT_EQ(world.ask(declare("main", commit)), Outcome::Held);
  const auto why = push(kMain, std::move(staging));
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("is not a commit"), std::string::npos) << *why;
}

}  // namespace repository_push_test
}  // namespace graspd::serve
