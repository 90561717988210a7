#include "gitio/connectivity.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace connectivity_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::commit;
using testing::git;
using testing::oid;

class Connectivity : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path path = testing::make_repository(folder.path() / "a.git");
  const git::Oid one = commit(path, "one");
  const git::Oid two = commit(path, "two", {one});

  bool is_whole(const std::vector<git::Oid>& tips) const {
    const auto answer = is_connected(path, tips, 1min);
    CHECK(answer);
    return *answer;
  }
  void remove(const git::Oid& object) const {
    fs::remove(path / "objects" / object.hex().substr(0, 2) / object.hex().substr(2));
  }
};

TEST_F(Connectivity, IsSeenForAWholeHistory) {
  EXPECT_TRUE(is_whole({one, two}));
  EXPECT_TRUE(is_whole({}));
}

TEST_F(Connectivity, IsLackingWithoutTheTip) {
  EXPECT_FALSE(is_whole({oid(std::string(40, '1'))}));
}

TEST_F(Connectivity, IsLackingWithoutAParentATreeOrAFile) {
  const git::Oid file = oid(git(path, {"rev-parse", two.hex() + ":file"}));
  remove(file);
  EXPECT_FALSE(is_whole({two}));
  EXPECT_TRUE(is_whole({one}));
  remove(one);
  EXPECT_FALSE(is_whole({two}));
}

TEST_F(Connectivity, IsUnknownWhenGitTakesTooLong) { EXPECT_FALSE(is_connected(path, {two}, 0ms)); }

}  // namespace connectivity_test
}  // namespace graspd::gitio
