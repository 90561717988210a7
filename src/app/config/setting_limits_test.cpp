#include <gtest/gtest.h>

#include "app/config/setting_groups.h"

namespace graspd::app {
namespace setting_limits_test {

TEST(GitProcessSettings, BoundEveryProcessUnlessSaidOtherwise) {
  Settings settings;
  EXPECT_GT(settings.host.git_process.memory_bytes_max, 0U);
  EXPECT_GT(settings.host.git_process.cpu_seconds_max, 0U);
  EXPECT_GT(settings.host.git_process.file_bytes_max, settings.host.hosting.receive.pack_bytes_max);
  EXPECT_GT(settings.host.git_process.files_max, 0U);
}

TEST(GitProcessSettings, AreNumbers) {
  Settings settings;
  EXPECT_FALSE(find_setting("GIT_MAX_MEMORY_BYTES")->parse(settings, "1000"));
  EXPECT_FALSE(find_setting("GIT_MAX_CPU_SECS")->parse(settings, "60"));
  EXPECT_FALSE(find_setting("GIT_MAX_FILE_BYTES")->parse(settings, "0"));
  EXPECT_FALSE(find_setting("GIT_MAX_OPEN_FILES")->parse(settings, "100"));
  EXPECT_TRUE(find_setting("GIT_MAX_OPEN_FILES")->parse(settings, "few"));
  EXPECT_EQ(settings.host.git_process.memory_bytes_max, 1000U);
  EXPECT_EQ(settings.host.git_process.cpu_seconds_max, 60U);
  EXPECT_EQ(settings.host.git_process.file_bytes_max, 0U);
  EXPECT_EQ(settings.host.git_process.files_max, 100U);
}

}  // namespace setting_limits_test
}  // namespace graspd::app
