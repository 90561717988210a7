#include "serve/runtime/free_disk.h"

#include <gtest/gtest.h>
#include <limits>

namespace graspd::serve {
namespace free_disk_test {

constexpr std::uint64_t kMoreThanAnyDiskHas = std::numeric_limits<std::uint64_t>::max();

TEST(FreeDisk, R1_IsLowWhenAFolderHasLessThanTheMinimum) {
  const FreeDisk roomy({"/tmp"}, 1), tight({"/tmp"}, kMoreThanAnyDiskHas);
  EXPECT_FALSE(roomy.is_low());
  ASSERT_TRUE(tight.low());
  EXPECT_EQ(tight.low()->folder, "/tmp");
  EXPECT_GT(tight.low()->free, 0u);
  EXPECT_EQ(roomy.spaces().size(), 1u);
}

TEST(FreeDisk, MeansNothingWithoutAMinimum) { EXPECT_FALSE(FreeDisk({"/tmp"}, 0).is_low()); }

TEST(FreeDisk, R3_KnowsFoldersThatAreNotMadeYet) {
  EXPECT_TRUE(FreeDisk({"/tmp/not/made/yet"}, kMoreThanAnyDiskHas).is_low());
}

TEST(FreeDisk, R3_DoesNotMindFoldersThatCannotBeLookedAt) {
  const FreeDisk disk({"/dev/null/folder"}, kMoreThanAnyDiskHas);
  EXPECT_FALSE(disk.is_low());
  EXPECT_TRUE(disk.spaces().empty());
}

TEST(FreeDisk, TellsTheOperatorWhatIsMissing) {
  EXPECT_EQ(describe({"/srv/git", 3ULL << 20}, 512ULL << 20),
            "/srv/git has 3 MiB of free disk space, NGIT_MIN_FREE_DISK_BYTES asks for 512 MiB");
}

}  // namespace free_disk_test
}  // namespace graspd::serve
