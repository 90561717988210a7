#include "app/config/setting_prs.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace setting_pr_repositories_test {

TEST(PrRepositorySettings, AreOffUnlessAskedFor) {
  Settings settings;
  EXPECT_FALSE(settings.pr_repositories_enabled);
  EXPECT_FALSE(find_setting("GRASP06_ENABLE")->parse(settings, "true"));
  EXPECT_TRUE(settings.pr_repositories_enabled);
}

TEST(PrRepositorySettings, BoundWhatStrangersLeave) {
  Settings settings;
  EXPECT_GT(settings.pr_repository_bytes_max, 0U);
  EXPECT_GE(settings.all_pr_repository_bytes_max, settings.pr_repository_bytes_max);
  EXPECT_FALSE(find_setting("GRASP06_MAX_REPOSITORY_BYTES")->parse(settings, "1000"));
  EXPECT_FALSE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "0"));
  EXPECT_EQ(settings.pr_repository_bytes_max, 1000U);
  EXPECT_EQ(settings.all_pr_repository_bytes_max, 0U);
  EXPECT_TRUE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "much"));
}

}  // namespace setting_pr_repositories_test
}  // namespace graspd::app
