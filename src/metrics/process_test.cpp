#include "metrics/process.h"

#include <gtest/gtest.h>
#include <string>

namespace graspd::metrics {
namespace process_test {

double value_of(const std::string& text, const std::string& name) {
  const auto at = ("\n" + text).find("\n" + name + " ");
  if (at == std::string::npos) return -1;
  return std::stod(text.substr(at + name.size() + 1));
}

TEST(Process, ReadsTheFieldsBehindANameWithBlanksAndParentheses) {
  const auto stat = parse_process_stat(
      "42 (a (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 11 12 0 0 20 0 7 0 99 123456 33 1844 1 1");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->user_ticks, 11U);
  EXPECT_EQ(stat->system_ticks, 12U);
  EXPECT_EQ(stat->threads, 7U);
  EXPECT_EQ(stat->start_ticks, 99U);
  EXPECT_EQ(stat->virtual_bytes, 123456U);
  EXPECT_EQ(stat->resident_pages, 33U);
}

TEST(Process, KnowsATruncatedLine) {
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("42 (a) S 1 42"));
}

TEST(Process, ShowsPlausibleNumbersOfThisProcess) {
  Registry registry;
  add_process_metrics(registry);
  const std::string text = registry.render();
  EXPECT_GE(value_of(text, "process_cpu_seconds_total"), 0) << text;
  EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 100'000) << text;
  EXPECT_GE(value_of(text, "process_virtual_memory_bytes"),
            value_of(text, "process_resident_memory_bytes"));
  EXPECT_GE(value_of(text, "process_threads"), 1);
  EXPECT_GE(value_of(text, "process_open_fds"), 1);
  EXPECT_GT(value_of(text, "process_max_fds"), value_of(text, "process_open_fds"));
  EXPECT_GT(value_of(text, "process_start_time_seconds"), 1'600'000'000) << text;
}

}  // namespace process_test
}  // namespace graspd::metrics
