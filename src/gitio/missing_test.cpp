#include "gitio/missing.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace missing_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::make_repository;
using testing::oid;

constexpr auto kDeadline = std::chrono::minutes(1);

class Missing : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path repository = make_repository(folder.path() / "a.git");
  const git::Oid nowhere = oid("1111111111111111111111111111111111111111");

  void lose(const git::Oid& object) const {
    const std::string hex = object.hex();
    ASSERT_TRUE(fs::remove(repository / "objects" / hex.substr(0, 2) / hex.substr(2)));
  }
};

TEST_F(Missing, R1_NamesEachThatIsNotThereOnce) {
  const git::Oid tip = commit(repository, "one");
  const auto found = missing(repository, std::vector{nowhere, tip, nowhere});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::vector{nowhere});
  EXPECT_FALSE(missing(folder.path() / "nowhere.git", std::vector{tip}));
}

TEST_F(Missing, R2_CountsTipsWithoutTheirHistory) {
  const git::Oid parent = commit(repository, "one");
  const git::Oid tip = commit(repository, "two", {parent});
  EXPECT_TRUE(lacking(repository, std::vector{tip}, kDeadline)->empty());
  EXPECT_EQ(*lacking(repository, std::vector{tip, nowhere}, kDeadline), std::vector{nowhere});
  lose(parent);
  EXPECT_EQ(*lacking(repository, std::vector{tip}, kDeadline), std::vector{tip});
}

TEST_F(Missing, R2_TellsTornHistoriesFromWholeOnes) {
  const git::Oid parent = commit(repository, "one");
  const git::Oid torn = commit(repository, "two", {parent});
  std::vector all{torn, nowhere};
  for (const char* message : {"three", "four", "five", "six", "seven"})
    all.push_back(commit(repository, message));
  lose(parent);
  std::vector expected{torn, nowhere};
  std::ranges::sort(expected);
  EXPECT_EQ(*lacking(repository, all, kDeadline), expected);
}

TEST_F(Missing, R2_LooksAtSoManyTornOnesAndNoMore) {
  const git::Oid parent = commit(repository, "parent");
  std::vector<git::Oid> all;
  for (int i = 0; i < 100; ++i) all.push_back(commit(repository, std::to_string(i), {parent}));
  lose(parent);
  EXPECT_EQ(lacking(repository, all, kDeadline)->size(), all.size());
}

TEST_F(Missing, SeesPacksAsSoonAsTheyAreThere) {
  const git::Oid tip = commit(repository, "one");
  git(repository, {"update-ref", "refs/heads/main", tip.hex()});
  git(repository, {"repack", "-a", "-d", "-q"});
  EXPECT_TRUE(missing(repository, std::vector{tip})->empty());
}

}  // namespace missing_test
}  // namespace graspd::gitio
