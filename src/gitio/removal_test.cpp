#include "gitio/removal.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace removal_test {

namespace fs = std::filesystem;

class Removal : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path();
  const fs::path trash = root / ".graspd" / "trash";
};

TEST_F(Removal, R1_TakesARepositoryAway) {
  const fs::path path = testing::make_repository(root / "npub" / "a.git");
  testing::commit(path, "one");
  ASSERT_TRUE(remove_repository(root, path, "t1"));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::is_empty(trash));
  EXPECT_TRUE(remove_repository(root, path, "t1"));  // nothing there, nothing to do
}

TEST_F(Removal, R1_IsFinishedBySweepingAfterACrash) {
  fs::create_directories(trash / "t1.0" / "objects");
  const fs::path path = testing::make_repository(root / "npub" / "a.git");
  ASSERT_TRUE(remove_repository(root, path, "t1"));  // though the name is taken
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(sweep_trash(root), 1u);
  EXPECT_TRUE(fs::is_empty(trash));
  EXPECT_EQ(sweep_trash(root), 0u);
}

TEST_F(Removal, SweepsWhereThereWasNeverTrash) { EXPECT_EQ(sweep_trash(root), 0u); }

TEST(FreeSpace, IsKnownForAFolderAlsoBeforeItIsMade) {
  EXPECT_GT(free_bytes("/tmp").value_or(0), 0u);
  EXPECT_GT(free_bytes("/tmp/not/made/yet").value_or(0), 0u);
  EXPECT_GT(free_bytes("not-made-yet").value_or(0), 0u);
  EXPECT_EQ(free_bytes("/dev/null/file"), std::nullopt);
}

}  // namespace removal_test
}  // namespace graspd::gitio
