#include "serve/runtime/disk_watch.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace disk_watch_test {

constexpr std::uint64_t kMiB = 1 << 20;

struct DiskLog : testing::Test {
  std::string at(std::uint64_t free) {
    return disk_log_line(FolderSpace{"/git", free}, 512 * kMiB, told).value_or("");
  }
  bool told = false;
};

TEST_F(DiskLog, SpeaksOnceWhenTheDiskFillsAndOnceWhenItEmpties) {  // R1
  EXPECT_EQ(at(512 * kMiB), "");
  EXPECT_EQ(at(12 * kMiB),
            "low on disk space, pushes and events are refused: /git has 12 MiB free, "
            "NGIT_MIN_FREE_DISK_BYTES asks for 512 MiB; free some space or lower the setting");
  EXPECT_EQ(at(11 * kMiB), "");
  EXPECT_EQ(at(700 * kMiB),
            "enough disk space again, pushes and events are accepted: /git has 700 MiB free");
  EXPECT_EQ(at(700 * kMiB), "");
}

TEST_F(DiskLog, StaysCalmAtTheVeryLimit) {  // R1
  EXPECT_NE(at(511 * kMiB), "");
  EXPECT_EQ(at(513 * kMiB), "");
  EXPECT_EQ(at(511 * kMiB), "");
  EXPECT_NE(at(538 * kMiB), "");
}

TEST_F(DiskLog, SaysNothingOfADiskThatCannotBeRead) {
  EXPECT_EQ(disk_log_line(std::nullopt, 512 * kMiB, told), std::nullopt);
}

TEST(DiskWatch, NamesNoPathToThePublic) {  // R2
  const std::vector<std::filesystem::path> folders{"/tmp"};
  const DiskWatch low(std::make_shared<const FreeDisk>(folders, ~0ULL));
  ASSERT_TRUE(low.trouble());
  EXPECT_TRUE(low.trouble()->starts_with("low on disk space, pushes and events are refused: "));
  EXPECT_EQ(low.trouble()->find("/tmp"), std::string::npos);
  const DiskWatch roomy(std::make_shared<const FreeDisk>(folders, 1));
  EXPECT_EQ(roomy.trouble(), std::nullopt);
}

TEST(DiskMetrics, CarryTheNamesOfFolders) {
  metrics::Registry registry;
  const std::vector<std::filesystem::path> folders{"/tmp"};
  add_disk_metrics(registry, std::make_shared<const FreeDisk>(folders, ~0ULL), {{"/tmp", "git"}});
  const std::string text = registry.render();
  EXPECT_NE(text.find("ngit_disk_free_bytes{folder=\"git\"} "), std::string::npos) << text;
  EXPECT_NE(text.find("ngit_disk_writes_refused 1\n"), std::string::npos) << text;
}

}  // namespace disk_watch_test
}  // namespace graspd::serve
