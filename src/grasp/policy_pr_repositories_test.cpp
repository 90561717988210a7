#include <gtest/gtest.h>

#include "grasp/policy_testing.h"
#include "grasp/pr_repository.h"

namespace graspd::grasp {
namespace policy_pr_repositories_test {

using namespace testing;

constexpr std::uint32_t kOwner = 1, kSubmitter = 7;
constexpr std::string_view kNotRelated =
    "restricted: PR event must reference an accepted repository or accepted event";

PolicyOptions with_pr_repositories() {
  PolicyOptions with = options();
  with.pr_repositories = true;
  return with;
}

nostr::WireEventPtr handed_in(std::uint32_t by = kSubmitter, std::uint16_t kind = 1618) {
  const std::string url =
      "https://us.example/prs/" + nostr::nip19::npub(author(kSubmitter)) + "/project.git";
  return event(by, kind, kStart, tags({{"a", address(kOwner)}, {"c", oid('b')}, {"clone", url}}));
}

TEST(PolicyPrRepositories, LetInPullRequestsForRepositoriesOfOthers) {  // R3
  World world(with_pr_repositories());
  for (const std::uint16_t kind : {1618, 1619}) {
    const auto pull = handed_in(kSubmitter, kind);
    EXPECT_EQ(world.send(pull), "purgatory");
    EXPECT_TRUE(world.holds(pull));
    world.release({pull});
    EXPECT_TRUE(world.has(pull));
  }
}

TEST(PolicyPrRepositories, AreOffByDefault) {
  World world;
  EXPECT_EQ(world.send(handed_in()), kNotRelated);
  EXPECT_FALSE(world.known().takes_pr_repository(coordinate(kSubmitter)));
}

TEST(PolicyPrRepositories, AreNotForOthers) {
  World world(with_pr_repositories());
  EXPECT_EQ(world.send(handed_in(8)), kNotRelated);
  EXPECT_EQ(world.send(pull_request(kSubmitter, kOwner)), kNotRelated);
}

TEST(PolicyPrRepositories, CanBeUnwelcome) {
  const std::string npub = nostr::nip19::npub(author(kSubmitter));
  const std::string owner = nostr::nip19::npub(author(kOwner));
  for (const std::string& entry : {npub, npub + "/project", std::string("project"), owner}) {
    PolicyOptions with = with_pr_repositories();
    with.repository_blacklist = AccessList::parse(entry).list;
    World world(with);
    EXPECT_EQ(world.send(handed_in()), kNotRelated) << entry;
    EXPECT_EQ(world.known().takes_pr_repository(coordinate(kSubmitter)), entry == owner) << entry;
  }
  PolicyOptions with = with_pr_repositories();
  with.event_blacklist = AccessList::parse_authors(npub).list;
  EXPECT_FALSE(World(with).known().takes_pr_repository(coordinate(kSubmitter)));
}

TEST(PolicyPrRepositories, AnchorWhatIsSaidAboutTheirPullRequests) {
  World world(with_pr_repositories());
  const auto pull = handed_in();
  const auto comment = event(9, 1111, kStart, tags({{"E", pull->event.id.hex()}}));
  world.send(pull);
  EXPECT_NE(world.send(comment), "stored");
  world.release({pull});
  EXPECT_TRUE(world.has(comment));
}

TEST(PolicyPrRepositories, GiveUpPullRequestsWhoseDataDoesNotCome) {
  World world(with_pr_repositories());
  const auto pull = handed_in();
  world.send(pull);
  world.pass(31 * 60);
  EXPECT_FALSE(world.holds(pull));
  EXPECT_EQ(world.send(pull, true), "invalid: previously expired from purgatory without git data");
  EXPECT_EQ(world.send(pull), "purgatory");
}

TEST(PolicyPrRepositories, LoseWhatIsDeleted) {
  World world(with_pr_repositories());
  const auto pull = handed_in();
  world.send(pull);
  world.release({pull});
  Transition changes;
  world.policy().decide(deletion(kSubmitter, {{"e", pull->event.id.hex()}}), {}, world.now,
                        changes);
  const auto dropped = changes.all<DropPullRefs>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].pull, pull->event.id);
  EXPECT_EQ(dropped[0].author, author(kSubmitter));
}

TEST(PolicyPrRepositories, RememberTheirUploadsApart) {
  PolicyOptions with = with_pr_repositories();
  with.purgatory.uploads.in_pr_repositories_max = 2;
  with.purgatory.uploads.per_repo_max = 1;
  World world(with);
  Transition notes;
  const auto upload = [&](std::string token, std::uint32_t of) {
    return Upload{std::move(token),
                  coordinate(of),
                  {},
                  *git::Oid::parse(oid('b')),
                  10,
                  world.now + 100,
                  true};
  };
  const auto has_space = [&](std::uint32_t of) {
    return world.known().purgatory().uploads().has_space(upload("more", of));
  };
  world.policy().purgatory().put_upload(upload("one", kSubmitter), notes);
  EXPECT_FALSE(has_space(kSubmitter));
  EXPECT_TRUE(has_space(8));
  world.policy().purgatory().put_upload(upload("two", 8), notes);
  EXPECT_FALSE(has_space(9));
  ASSERT_TRUE(world.store().write({{}, {}, notes.all<store::Note>()}, world.now));
  world.restart();
  EXPECT_FALSE(has_space(9));
  EXPECT_FALSE(has_space(kSubmitter));
}

}  // namespace policy_pr_repositories_test
}  // namespace graspd::grasp
