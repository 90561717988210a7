#include "app/config/foreign_settings.h"

#include <gtest/gtest.h>

#include "app/config/setting_table.h"

namespace graspd::app {
namespace foreign_settings_test {

TEST(ForeignSettings, AreThoseThatAreNotOurs) {
  for (const ForeignSetting& setting : foreign_settings())
    EXPECT_EQ(find_setting(setting.name), nullptr) << setting.name;
}

TEST(ForeignSettings, AreFlagsAsTheirOwnerWritesThem) {
  const ForeignSetting* found = find_foreign_setting("SYNC_PLUS_ENABLED");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->flag(), "--sync-plus-enabled");
  EXPECT_EQ(find_foreign_setting("NONSENSE"), nullptr);
}

}  // namespace foreign_settings_test
}  // namespace graspd::app
