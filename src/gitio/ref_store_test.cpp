#include "gitio/ref_store.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "gitio/leftovers.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace ref_store_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::make_repository;
using testing::oid;
using testing::ref_name;

class RefStore : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path path = make_repository(folder.path() / "a.git");
  const git::Oid one = commit(path, "one");
  const git::Oid two = commit(path, "two", {one});

  bool perform(std::vector<git::RefUpdate> updates, std::optional<git::RefName> head = {}) const {
    const auto done = apply(path, {std::move(updates), std::move(head)});
    return static_cast<bool>(done);
  }
  git::Refs refs() const { return *Repository::open(path)->heads_and_tags(); }
};

TEST_F(RefStore, CreatesMovesAndDeletes) {
  const auto a = ref_name("refs/heads/a"), b = ref_name("refs/heads/b"),
             v = ref_name("refs/tags/v");
  ASSERT_TRUE(perform({{a, {}, one}, {b, {}, one}}));
  ASSERT_TRUE(perform({{a, one, {}}, {b, one, two}, {v, {}, two}}));
  EXPECT_EQ(refs(), (git::Refs{{b, two}, {v, two}}));
  ASSERT_TRUE(perform({{b, two, one}}));  // backwards as well: the caller has decided
  EXPECT_EQ(refs(), (git::Refs{{b, one}, {v, two}}));
}

TEST_F(RefStore, R1_ChangesNothingWhenOneOldValueIsWrong) {
  const auto a = ref_name("refs/heads/a"), b = ref_name("refs/heads/b");
  ASSERT_TRUE(perform({{a, {}, one}}));
  EXPECT_FALSE(perform({{b, {}, one}, {a, two, one}}));
  EXPECT_FALSE(perform({{b, {}, one}, {a, {}, two}}));
  EXPECT_FALSE(perform({{a, one, {}}, {b, two, {}}}));
  EXPECT_EQ(refs(), (git::Refs{{a, one}}));
}

TEST_F(RefStore, R1_PointsNoRefAtAnAbsentObject) {
  EXPECT_FALSE(perform({{ref_name("refs/heads/a"), {}, oid(std::string(40, '1'))}}));
  EXPECT_TRUE(refs().empty());
}

TEST_F(RefStore, R2_LetsAFolderTakeThePlaceOfABranch) {
  const auto a = ref_name("refs/heads/a"), a_b = ref_name("refs/heads/a/b"),
             c = ref_name("refs/heads/c");
  for (const bool packed : {false, true}) {
    ASSERT_TRUE(perform({{a, {}, one}, {c, {}, one}}));
    if (packed) git(path, {"pack-refs", "--all"});
    EXPECT_TRUE(perform({{a, one, {}}, {a_b, {}, two}, {c, one, two}}));
    EXPECT_EQ(refs(), (git::Refs{{a_b, two}, {c, two}}));
    if (packed) git(path, {"pack-refs", "--all"});
    EXPECT_TRUE(perform({{a_b, two, {}}, {a, {}, one}}));
    EXPECT_EQ(refs(), (git::Refs{{a, one}, {c, two}}));
    ASSERT_TRUE(perform({{a, one, {}}, {c, two, {}}}));
  }
}

TEST_F(RefStore, R2_VerifiesAllBeforeTheFirstStep) {
  const auto a = ref_name("refs/heads/a"), a_b = ref_name("refs/heads/a/b"),
             c = ref_name("refs/heads/c");
  ASSERT_TRUE(perform({{a, {}, one}, {c, {}, one}}));
  EXPECT_FALSE(perform({{a, one, {}}, {a_b, {}, two}, {c, two, one}}));
  EXPECT_FALSE(perform({{a, one, {}}, {a_b, {}, two}, {c, {}, one}}));
  EXPECT_EQ(refs(), (git::Refs{{a, one}, {c, one}}));
}

TEST_F(RefStore, R3_MovesHeadWithTheRefs) {
  const auto main = ref_name("refs/heads/main");
  ASSERT_TRUE(perform({{main, {}, one}}, main));
  EXPECT_EQ(git(path, {"symbolic-ref", "HEAD"}), "refs/heads/main");
  EXPECT_EQ(git(path, {"rev-parse", "HEAD"}), one.hex());
  ASSERT_TRUE(perform({}, ref_name("refs/heads/unborn")));
  EXPECT_EQ(git(path, {"symbolic-ref", "HEAD"}), "refs/heads/unborn");
  EXPECT_FALSE(fs::exists(path / "HEAD.lock"));
}

TEST_F(RefStore, R3_LeavesHeadWhenTheRefsDidNotMove) {
  const auto main = ref_name("refs/heads/main");
  EXPECT_FALSE(perform({{main, two, one}}, main));
  EXPECT_EQ(git(path, {"symbolic-ref", "HEAD"}), "refs/heads/master");
}

TEST_F(RefStore, R4_PacksManyRefs) {
  std::vector<git::RefUpdate> updates;
  for (std::size_t i = 0; i <= kPackAfter; ++i) {
    updates.push_back({ref_name("refs/heads/b" + std::to_string(i)), {}, one});
  }
  ASSERT_TRUE(perform(updates));
  EXPECT_EQ(refs().size(), kPackAfter + 1);
  EXPECT_FALSE(fs::exists(path / "refs/heads/b0"));
}

TEST_F(RefStore, R5_IsNotStoppedByOldLocks) {
  const auto main = ref_name("refs/heads/main");
  const auto old = fs::file_time_type::clock::now() - 2 * kLockAge;
  for (const char* name : {"HEAD.lock", "packed-refs.lock", "refs/heads/main.lock"}) {
    std::ofstream(path / name) << "";
    fs::last_write_time(path / name, old);
  }
  EXPECT_TRUE(perform({{main, {}, one}}, main));
  std::ofstream(path / "refs/heads/main.lock") << "";
  EXPECT_FALSE(perform({{main, one, two}}));  // somebody may be at work
}

}  // namespace ref_store_test
}  // namespace graspd::gitio
