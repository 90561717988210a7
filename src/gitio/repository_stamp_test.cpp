#include "gitio/repository_stamp.h"

#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace repository_stamp_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::make_repository;
using testing::set_ref;

class Stamps : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path repository = make_repository(folder.path() / "a.git");
  const git::Oid first = commit(repository, "one");

  void SetUp() override {
    set_ref(repository, "refs/heads/main", first);
    set_ref(repository, "refs/heads/deep/down", first);
    git(repository, {"repack", "-adq"});
  }
  git::Fingerprint print(const fs::path& of) const {
    auto made = fingerprint(of);
    CHECK(made);
    return *std::move(made);
  }
};

TEST_F(Stamps, StayWhenNothingChanges) {  // R1, R2
  EXPECT_EQ(RepositoryStamp::of(repository), RepositoryStamp::of(repository));
  EXPECT_EQ(thorough_stamp(repository), thorough_stamp(repository));
  EXPECT_EQ(print(repository), print(repository));
}

TEST_F(Stamps, ChangeWhenTheFolderIsGone) {  // R1
  const auto before = RepositoryStamp::of(repository);
  fs::remove_all(repository);
  EXPECT_NE(RepositoryStamp::of(repository), before);
  EXPECT_EQ(RepositoryStamp::of(repository), RepositoryStamp::of(repository));
  EXPECT_TRUE(RepositoryStamp::of(repository).is_settled());
  EXPECT_FALSE(fingerprint(repository));
}

TEST_F(Stamps, ThoroughOnesSeeADeepRefAndATornPack) {  // R2
  const auto before = thorough_stamp(repository);
  fs::remove(repository / "refs" / "heads" / "deep" / "down");
  const auto between = thorough_stamp(repository);
  EXPECT_NE(between, before);
  for (const auto& entry : fs::directory_iterator(repository / "objects" / "pack"))
    if (entry.path().extension() == ".pack") fs::resize_file(entry.path(), 40);
  EXPECT_NE(thorough_stamp(repository), between);
}

TEST_F(Stamps, ProveNothingRightAfterAChange) {  // R3
  git(repository, {"update-ref", "refs/heads/other", first.hex()});
  EXPECT_FALSE(RepositoryStamp::of(repository).is_settled());
}

TEST_F(Stamps, OfFilesThatWereCopiedBackAreOtherFingerprints) {
  const auto before = print(repository);
  fs::copy(repository, folder.path() / "b.git", fs::copy_options::recursive);
  fs::remove_all(repository);
  fs::rename(folder.path() / "b.git", repository);
  const auto after = print(repository);
  EXPECT_NE(after.origin, before.origin);
  EXPECT_EQ(after.refs, before.refs);
  EXPECT_FALSE(after.still_holds(before));
}

TEST_F(Stamps, APackThatComesLaterLeavesTheFingerprintHolding) {
  const auto before = print(repository);
  set_ref(repository, "refs/nostr/" + std::string(64, 'a'), commit(repository, "two", {first}));
  git(repository, {"repack", "-dq"});
  const auto after = print(repository);
  EXPECT_GT(after.packs.size(), before.packs.size());
  EXPECT_TRUE(after.still_holds(before));
  EXPECT_FALSE(before.still_holds(after));
}

}  // namespace repository_stamp_test
}  // namespace graspd::gitio
