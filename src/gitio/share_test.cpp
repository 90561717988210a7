#include "gitio/share.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gitio/connectivity.h"
#include "gitio/object_files.h"
#include "gitio/pack_index.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace share_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::holds;
using testing::make_repository;
using testing::oid;
using testing::set_ref;

constexpr auto kDeadline = std::chrono::minutes(1);

class Sharing : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path from = make_repository(folder.path() / "from.git");
  const fs::path to = make_repository(folder.path() / "to.git");
  const git::Oid one = commit(from, "one");
  const git::Oid two = commit(from, "two", {one});
  const git::Oid secret = commit(from, "secret");

  // All loose objects so far become a pack.
  void pack() const { git(from, {"repack", "-d"}); }
  // Everything `to` has is reachable from these.
  void expect_exactly(const std::vector<git::Oid>& tips) const {
    EXPECT_EQ(*is_connected(to, tips, kDeadline), true);
    std::vector<std::string> arguments{"rev-list", "--objects", "--no-object-names"};
    for (const git::Oid& tip : tips) arguments.push_back(tip.hex());
    EXPECT_EQ(lines(git(to, std::move(arguments))), lines(testing::all_objects(to)));
  }
  static std::set<std::string> lines(const std::string& text) {
    std::set<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.insert(line);
    return result;
  }
};

TEST_F(Sharing, R1_CopiesWhatIsReachableAndNothingElse) {
  const auto shared = copy_history(from, to, {two});
  ASSERT_TRUE(shared);
  EXPECT_TRUE(shared->packed);
  expect_exactly({two});
  EXPECT_FALSE(holds(to, secret));
}

TEST_F(Sharing, R1_DoesNotLinkAPackWithOneObjectTooMany) {
  set_ref(from, "refs/heads/a", two);
  set_ref(from, "refs/heads/secret", secret);
  pack();
  const auto shared = copy_history(from, to, {two});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->packs_linked, 0u);
  expect_exactly({two});
}

TEST_F(Sharing, R2_LinksPacksThatArePure) {
  set_ref(from, "refs/heads/a", two);
  pack();
  const auto shared = copy_history(from, to, {two});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->packs_linked, 1u);
  EXPECT_FALSE(shared->packed);
  EXPECT_TRUE(fs::equivalent(pack_indexes(from).front(), pack_indexes(to).front()));
  expect_exactly({two});
}

TEST_F(Sharing, R2_LinksSomeAndPacksTheRest) {
  set_ref(from, "refs/heads/a", one);
  pack();
  set_ref(from, "refs/heads/a", two);
  set_ref(from, "refs/heads/secret", secret);
  pack();
  EXPECT_EQ(pack_indexes(from).size(), 2u);
  const auto shared = copy_history(from, to, {two});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->packs_linked, 1u);
  EXPECT_TRUE(shared->packed);
  expect_exactly({two});
}

TEST_F(Sharing, R2_LinksAPackWhoseOtherObjectsAreThereAlready) {
  ASSERT_TRUE(copy_history(from, to, {one}));
  set_ref(to, "refs/heads/a", one);
  set_ref(from, "refs/heads/a", two);
  pack();
  const auto shared = copy_history(from, to, {two});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->packs_linked, 1u);
  expect_exactly({two});
}

TEST_F(Sharing, R3_DoesNothingWhenAllIsThere) {
  ASSERT_TRUE(copy_history(from, to, {two}));
  const auto again = copy_history(from, to, {two, one});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->packs_linked, 0u);
  EXPECT_FALSE(again->packed);
}

TEST_F(Sharing, R3_SendsOnlyWhatIsNew) {
  ASSERT_TRUE(copy_history(from, to, {one}));
  set_ref(to, "refs/heads/a", one);
  set_ref(to, "refs/heads/own", commit(to, "own"));  // not known to the other
  ASSERT_TRUE(copy_history(from, to, {two}));
  EXPECT_EQ(*is_connected(to, {two}, kDeadline), true);
  const auto pack = PackIndex::open(pack_indexes(to).back());
  ASSERT_TRUE(pack);
  EXPECT_EQ(pack->size(), 3u);  // commit, tree, blob
}

TEST_F(Sharing, FillsAHistoryThatHasATipButNotAllBelow) {
  git(to, {"hash-object", "-w", "-t", "commit", "--stdin"},
      git(from, {"cat-file", "commit", two.hex()}) + "\n");
  ASSERT_TRUE(Repository::open(to)->has(two));
  ASSERT_TRUE(copy_history(from, to, {two}));
  EXPECT_EQ(*is_connected(to, {two}, kDeadline), true);
}

TEST_F(Sharing, CarriesTagsAndBlobs) {
  git(from, {"tag", "-a", "-m", "v1", "v1", two.hex()});
  const git::Oid tag = oid(git(from, {"rev-parse", "refs/tags/v1"}));
  const git::Oid blob = testing::blob(from, "alone");
  ASSERT_TRUE(copy_history(from, to, {tag, blob}));
  expect_exactly({tag, blob});
}

TEST_F(Sharing, FailsWhenTheSourceLacksATip) {
  EXPECT_FALSE(copy_history(from, to, {oid(std::string(40, '1'))}));
  EXPECT_TRUE(testing::all_objects(to).empty());
}

TEST_F(Sharing, FailsBeyondItsLimit) {
  EXPECT_FALSE(copy_history(from, to, {two}, {.objects_max = 3}));
}

}  // namespace share_test
}  // namespace graspd::gitio
