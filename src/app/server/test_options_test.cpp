#include "app/server/test_options.h"

#include <gtest/gtest.h>

namespace graspd::app::test_options_test {

TEST(TestOptions, ShortenWhatTestsWouldWaitFor) {
  Settings settings;
  settings.test = true;
  const Settings quick = with_test_options(settings);
  EXPECT_LT(quick.sync.engine.backoff_max, settings.sync.engine.backoff_max);
  EXPECT_LT(quick.fetch.tick, settings.fetch.tick);
  EXPECT_LT(quick.host.sweep_interval, settings.host.sweep_interval);
}

TEST(TestOptions, LeaveWhatWasSet) {  // R1
  Settings settings;
  settings.test = true;
  settings.sync.engine.backoff_max = std::chrono::seconds(77);
  settings.fetch.scheduler.domain_commands_per_minute = 3;
  const Settings quick = with_test_options(settings);
  EXPECT_EQ(quick.sync.engine.backoff_max, std::chrono::seconds(77));
  EXPECT_EQ(quick.fetch.scheduler.domain_commands_per_minute, 3U);
}

TEST(TestOptions, ChangeNothingInService) {  // R2
  const Settings settings;
  const Settings same = with_test_options(settings);
  EXPECT_EQ(same.sync.engine.backoff_max, settings.sync.engine.backoff_max);
  EXPECT_EQ(same.metrics_lifetime, settings.metrics_lifetime);
}

}  // namespace graspd::app::test_options_test
