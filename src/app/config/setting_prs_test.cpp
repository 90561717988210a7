#include "app/config/setting_prs.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace setting_trays_test {

TEST(TraySettings, AreOffUnlessAskedFor) {
  Settings settings;
  EXPECT_FALSE(settings.trays_enabled);
  EXPECT_FALSE(find_setting("GRASP06_ENABLE")->parse(settings, "true"));
  EXPECT_TRUE(settings.trays_enabled);
}

TEST(TraySettings, BoundWhatStrangersLeave) {
  Settings settings;
  EXPECT_GT(settings.tray_bytes_max, 0U);
  EXPECT_GE(settings.all_tray_bytes_max, settings.tray_bytes_max);
  EXPECT_FALSE(find_setting("GRASP06_MAX_REPOSITORY_BYTES")->parse(settings, "1000"));
  EXPECT_FALSE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "0"));
  EXPECT_EQ(settings.tray_bytes_max, 1000U);
  EXPECT_EQ(settings.all_tray_bytes_max, 0U);
  EXPECT_TRUE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "much"));
}

}  // namespace setting_trays_test
}  // namespace graspd::app
