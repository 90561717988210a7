#include "serve/host/pr_repositories.h"

#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"
#include "grasp/policy_testing.h"

namespace graspd::serve {
namespace pr_repositories_test {

namespace fs = std::filesystem;
using grasp::testing::coordinate;
using namespace gitio::testing;

nostr::EventId event_id(char digit) { return *nostr::EventId::from_hex(std::string(64, digit)); }

class PrRepositoriesTest : public ::testing::Test {
 protected:
  explicit PrRepositoriesTest(PrLimits limits = {})
      : pr_repositories(folder.path(), ref_name("refs/heads/master"), limits, locks) {
    pr_repositories.load();
    CHECK(
        gitio::Repository::make_stand_in(folder.path(), *git::RefName::parse("refs/heads/master")));
  }

  // As a push leaves it: a pack beside the PR repository that borrows from what the PR repository
  // shows.
  gitio::Staging staging(std::string_view token, const fs::path& from, const git::Oid& commit,
                         const std::vector<git::Oid>& without = {}) {
    auto made = gitio::Staging::create(folder.path(), pr_repositories.shown(pr_repository), token);
    CHECK(made);
    std::string revisions = commit.hex() + "\n";
    for (const git::Oid& oid : without) revisions += "^" + oid.hex() + "\n";
    auto pack =
        gitio::run_ok(git_in(from, {"pack-objects", "--revs", "--stdout", "-q"}), revisions);
    CHECK(pack);
    gitio::testing::git(made->path(), {"index-pack", "--stdin", "--fix-thin"}, *pack);
    return *std::move(made);
  }
  bool is_there() const { return fs::exists(pr_repositories.path(pr_repository)); }

  TemporaryFolder folder, elsewhere;
  gitio::RepoLocks locks;
  const grasp::Coordinate pr_repository = coordinate(7);
  const fs::path source = make_repository(elsewhere.path() / "source.git");
  PrRepositories pr_repositories;
};

TEST_F(PrRepositoriesTest, ShowAnEmptyRepositoryWhereThereIsNone) {  // R1
  EXPECT_FALSE(is_there());
  EXPECT_EQ(gitio::testing::git(pr_repositories.shown(pr_repository), {"for-each-ref"}), "");
  EXPECT_EQ(pr_repositories.shown(pr_repository), pr_repositories.shown(coordinate(8, "other")));
  EXPECT_FALSE(pr_repositories.find(pr_repository, event_id('1')));
  EXPECT_FALSE(fs::exists(folder.path() / "prs"));
}

TEST_F(PrRepositoriesTest, ExistFromTheFirstPullRequestToTheLast) {  // R1
  const auto one = commit(source, "one"), two = commit(source, "two", {one});
  auto first = staging("a", source, one);
  ASSERT_TRUE(pr_repositories.put(pr_repository, event_id('1'), one, first));
  EXPECT_EQ(pr_repositories.find(pr_repository, event_id('1')), one);
  EXPECT_EQ(pr_repositories.shown(pr_repository), pr_repositories.path(pr_repository));
  auto second = staging("b", source, two, {one});
  ASSERT_TRUE(pr_repositories.put(pr_repository, event_id('2'), two, second));
  EXPECT_EQ(pr_repositories.find(pr_repository, event_id('2')), two);

  pr_repositories.drop(pr_repository, {event_id('1'), event_id('3')});
  EXPECT_FALSE(pr_repositories.find(pr_repository, event_id('1')));
  EXPECT_EQ(pr_repositories.find(pr_repository, event_id('2')), two);
  pr_repositories.drop(pr_repository, {event_id('2')});
  EXPECT_FALSE(is_there());
  pr_repositories.drop(pr_repository, {event_id('2')});
}

TEST_F(PrRepositoriesTest, TakeTheSameTwice) {
  const auto one = commit(source, "one");
  for (const char* token : {"a", "b"}) {
    auto pushed = staging(token, source, one);
    EXPECT_TRUE(pr_repositories.put(pr_repository, event_id('1'), one, pushed));
  }
  EXPECT_EQ(pr_repositories.find(pr_repository, event_id('1')), one);
}

TEST_F(PrRepositoriesTest, ShowNoHistoryWithHoles) {  // R2
  const auto one = commit(source, "one"), two = commit(source, "two", {one});
  auto torn = staging("a", source, two, {one});
  EXPECT_FALSE(pr_repositories.put(pr_repository, event_id('1'), two, torn));
  EXPECT_FALSE(is_there());
}

TEST_F(PrRepositoriesTest, TakeCommitsOnly) {
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  EXPECT_FALSE(pr_repositories.put(pr_repository, event_id('1'), blob(source, "one"), pushed));
  EXPECT_FALSE(is_there());
}

TEST_F(PrRepositoriesTest, DropWhatHasNoEventAnyMore) {
  const auto one = commit(source, "one");
  for (const char digit : {'1', '2'}) {
    auto pushed = staging(std::string(1, digit), source, one);
    ASSERT_TRUE(pr_repositories.put(pr_repository, event_id(digit), one, pushed));
  }
  pr_repositories.tidy(
      [&](const auto& of, const auto& id) { return of == pr_repository && id == event_id('2'); });
  EXPECT_FALSE(pr_repositories.find(pr_repository, event_id('1')));
  EXPECT_TRUE(pr_repositories.find(pr_repository, event_id('2')));
  pr_repositories.tidy([](const auto&, const auto&) { return false; });
  EXPECT_FALSE(is_there());
  pr_repositories.load();
  EXPECT_TRUE(fs::is_empty(folder.path() / "prs"));
}

class SmallPrRepositoriesTest : public PrRepositoriesTest {
 protected:
  SmallPrRepositoriesTest()
      : PrRepositoriesTest({.pr_repository_bytes_max = 100, .bytes_max = 10'000}) {}
};

TEST_F(SmallPrRepositoriesTest, AreFullAtTheirQuota) {  // R3
  EXPECT_FALSE(pr_repositories.full(pr_repository));
  EXPECT_EQ(pr_repositories.bytes_left(pr_repository), 100U);
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  ASSERT_TRUE(pr_repositories.put(pr_repository, event_id('1'), one, pushed));
  EXPECT_EQ(pr_repositories.bytes_left(pr_repository), 0U);
  EXPECT_EQ(pr_repositories.totals().pr_repositories, 1U);
  EXPECT_GT(pr_repositories.totals().bytes, 100U);
  EXPECT_TRUE(
      pr_repositories.full(pr_repository)->starts_with("your pull requests for this repository"));
  EXPECT_EQ(pr_repositories.bytes_left(coordinate(8)), 100U);

  PrRepositories again(folder.path(), ref_name("refs/heads/master"), pr_repositories.limits(),
                       locks);
  again.tidy([](const auto&, const auto&) { return true; });
  EXPECT_TRUE(again.full(pr_repository));
  again.drop(pr_repository, {event_id('1')});
  EXPECT_FALSE(again.full(pr_repository));
  EXPECT_EQ(again.totals().pr_repositories, 0U);
  EXPECT_EQ(again.totals().bytes, 0U);
}

class FewPrRepositoriesTest : public PrRepositoriesTest {
 protected:
  FewPrRepositoriesTest() : PrRepositoriesTest({.pr_repository_bytes_max = 0, .bytes_max = 100}) {}
};

TEST_F(FewPrRepositoriesTest, AreFullTogether) {  // R3
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  ASSERT_TRUE(pr_repositories.put(pr_repository, event_id('1'), one, pushed));
  EXPECT_TRUE(pr_repositories.full(coordinate(8))->starts_with("this server has no more room"));
  EXPECT_EQ(pr_repositories.bytes_left(coordinate(8)), 0U);
}

}  // namespace pr_repositories_test
}  // namespace graspd::serve
