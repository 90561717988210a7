#include "serve/host/pr_repositories.h"

#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"
#include "grasp/policy_testing.h"

namespace graspd::serve {
namespace trays_test {

namespace fs = std::filesystem;
using grasp::testing::coordinate;
using namespace gitio::testing;

nostr::EventId event_id(char digit) { return *nostr::EventId::from_hex(std::string(64, digit)); }

class TraysTest : public ::testing::Test {
 protected:
  explicit TraysTest(TrayLimits limits = {})
      : trays(folder.path(), ref_name("refs/heads/master"), limits, locks) {
    trays.load();
    CHECK(
        gitio::Repository::make_stand_in(folder.path(), *git::RefName::parse("refs/heads/master")));
  }

  // As a push leaves it: a pack beside the tray that borrows from what the tray shows.
  gitio::Staging staging(std::string_view token, const fs::path& from, const git::Oid& commit,
                         const std::vector<git::Oid>& without = {}) {
    auto made = gitio::Staging::create(folder.path(), trays.shown(tray), token);
    CHECK(made);
    std::string revisions = commit.hex() + "\n";
    for (const git::Oid& oid : without) revisions += "^" + oid.hex() + "\n";
    auto pack =
        gitio::run_ok(git_in(from, {"pack-objects", "--revs", "--stdout", "-q"}), revisions);
    CHECK(pack);
    gitio::testing::git(made->path(), {"index-pack", "--stdin", "--fix-thin"}, *pack);
    return *std::move(made);
  }
  bool is_there() const { return fs::exists(trays.path(tray)); }

  TemporaryFolder folder, elsewhere;
  gitio::RepoLocks locks;
  const grasp::Coordinate tray = coordinate(7);
  const fs::path source = make_repository(elsewhere.path() / "source.git");
  Trays trays;
};

TEST_F(TraysTest, ShowAnEmptyRepositoryWhereThereIsNone) {  // R1
  EXPECT_FALSE(is_there());
  EXPECT_EQ(gitio::testing::git(trays.shown(tray), {"for-each-ref"}), "");
  EXPECT_EQ(trays.shown(tray), trays.shown(coordinate(8, "other")));
  EXPECT_FALSE(trays.find(tray, event_id('1')));
  EXPECT_FALSE(fs::exists(folder.path() / "prs"));
}

TEST_F(TraysTest, ExistFromTheFirstPullRequestToTheLast) {  // R1
  const auto one = commit(source, "one"), two = commit(source, "two", {one});
  auto first = staging("a", source, one);
  ASSERT_TRUE(trays.put(tray, event_id('1'), one, first));
  EXPECT_EQ(trays.find(tray, event_id('1')), one);
  EXPECT_EQ(trays.shown(tray), trays.path(tray));
  auto second = staging("b", source, two, {one});
  ASSERT_TRUE(trays.put(tray, event_id('2'), two, second));
  EXPECT_EQ(trays.find(tray, event_id('2')), two);

  trays.drop(tray, {event_id('1'), event_id('3')});
  EXPECT_FALSE(trays.find(tray, event_id('1')));
  EXPECT_EQ(trays.find(tray, event_id('2')), two);
  trays.drop(tray, {event_id('2')});
  EXPECT_FALSE(is_there());
  trays.drop(tray, {event_id('2')});
}

TEST_F(TraysTest, TakeTheSameTwice) {
  const auto one = commit(source, "one");
  for (const char* token : {"a", "b"}) {
    auto pushed = staging(token, source, one);
    EXPECT_TRUE(trays.put(tray, event_id('1'), one, pushed));
  }
  EXPECT_EQ(trays.find(tray, event_id('1')), one);
}

TEST_F(TraysTest, ShowNoHistoryWithHoles) {  // R2
  const auto one = commit(source, "one"), two = commit(source, "two", {one});
  auto torn = staging("a", source, two, {one});
  EXPECT_FALSE(trays.put(tray, event_id('1'), two, torn));
  EXPECT_FALSE(is_there());
}

TEST_F(TraysTest, TakeCommitsOnly) {
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  EXPECT_FALSE(trays.put(tray, event_id('1'), blob(source, "one"), pushed));
  EXPECT_FALSE(is_there());
}

TEST_F(TraysTest, DropWhatHasNoEventAnyMore) {
  const auto one = commit(source, "one");
  for (const char digit : {'1', '2'}) {
    auto pushed = staging(std::string(1, digit), source, one);
    ASSERT_TRUE(trays.put(tray, event_id(digit), one, pushed));
  }
  trays.tidy([&](const auto& of, const auto& id) { return of == tray && id == event_id('2'); });
  EXPECT_FALSE(trays.find(tray, event_id('1')));
  EXPECT_TRUE(trays.find(tray, event_id('2')));
  trays.tidy([](const auto&, const auto&) { return false; });
  EXPECT_FALSE(is_there());
  trays.load();
  EXPECT_TRUE(fs::is_empty(folder.path() / "prs"));
}

class SmallTraysTest : public TraysTest {
 protected:
  SmallTraysTest() : TraysTest({.tray_bytes_max = 100, .bytes_max = 10'000}) {}
};

TEST_F(SmallTraysTest, AreFullAtTheirQuota) {  // R3
  EXPECT_FALSE(trays.full(tray));
  EXPECT_EQ(trays.bytes_left(tray), 100U);
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  ASSERT_TRUE(trays.put(tray, event_id('1'), one, pushed));
  EXPECT_EQ(trays.bytes_left(tray), 0U);
  EXPECT_EQ(trays.census().trays, 1U);
  EXPECT_GT(trays.census().bytes, 100U);
  EXPECT_TRUE(trays.full(tray)->starts_with("your pull requests for this repository"));
  EXPECT_EQ(trays.bytes_left(coordinate(8)), 100U);

  Trays again(folder.path(), ref_name("refs/heads/master"), trays.limits(), locks);
  again.tidy([](const auto&, const auto&) { return true; });
  EXPECT_TRUE(again.full(tray));
  again.drop(tray, {event_id('1')});
  EXPECT_FALSE(again.full(tray));
  EXPECT_EQ(again.census().trays, 0U);
  EXPECT_EQ(again.census().bytes, 0U);
}

class FewTraysTest : public TraysTest {
 protected:
  FewTraysTest() : TraysTest({.tray_bytes_max = 0, .bytes_max = 100}) {}
};

TEST_F(FewTraysTest, AreFullTogether) {  // R3
  const auto one = commit(source, "one");
  auto pushed = staging("a", source, one);
  ASSERT_TRUE(trays.put(tray, event_id('1'), one, pushed));
  EXPECT_TRUE(trays.full(coordinate(8))->starts_with("this server has no more room"));
  EXPECT_EQ(trays.bytes_left(coordinate(8)), 0U);
}

}  // namespace trays_test
}  // namespace graspd::serve
