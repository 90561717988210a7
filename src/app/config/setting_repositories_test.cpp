#include <gtest/gtest.h>

#include "app/config/setting_groups.h"

namespace graspd::app {
namespace setting_repositories_test {

TEST(PrRepositorySettings, AreOffUnlessAskedFor) {
  Settings settings;
  EXPECT_FALSE(settings.host.policy.pr_repositories);
  EXPECT_FALSE(find_setting("GRASP06_ENABLE")->parse(settings, "true"));
  EXPECT_TRUE(settings.host.policy.pr_repositories);
}

TEST(PrRepositorySettings, BoundWhatStrangersLeave) {
  Settings settings;
  EXPECT_GT(settings.host.hosting.pr_repositories.pr_repository_bytes_max, 0U);
  EXPECT_GE(settings.host.hosting.pr_repositories.bytes_max,
            settings.host.hosting.pr_repositories.pr_repository_bytes_max);
  EXPECT_FALSE(find_setting("GRASP06_MAX_REPOSITORY_BYTES")->parse(settings, "1000"));
  EXPECT_FALSE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "0"));
  EXPECT_EQ(settings.host.hosting.pr_repositories.pr_repository_bytes_max, 1000U);
  EXPECT_EQ(settings.host.hosting.pr_repositories.bytes_max, 0U);
  EXPECT_TRUE(find_setting("GRASP06_MAX_BYTES")->parse(settings, "much"));
}

}  // namespace setting_repositories_test
}  // namespace graspd::app
