#include "app/server/repeat_filter.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace repeat_filter_test {

using core::log::Level;

core::Instant at(std::int64_t seconds) { return core::Instant(std::chrono::seconds(seconds)); }

std::vector<std::string> texts(const std::vector<RepeatFilter::Line>& lines) {
  std::vector<std::string> out;
  for (const auto& line : lines) out.push_back(line.text);
  return out;
}
using Texts = std::vector<std::string>;

TEST(RepeatFilter, LetsALineThroughOnceAMinute) {  // R1
  RepeatFilter filter;
  EXPECT_EQ(texts(filter.pass(at(0), Level::Warn, "disk full")), Texts{"disk full"});
  EXPECT_EQ(texts(filter.pass(at(1), Level::Warn, "disk full")), Texts{});
  EXPECT_EQ(texts(filter.pass(at(1), Level::Warn, "other")), Texts{"other"});
  EXPECT_EQ(texts(filter.pass(at(59), Level::Warn, "disk full")), Texts{});
}

TEST(RepeatFilter, ReportsWhatItHeldBackWhenTheMinuteIsOver) {  // R2
  RepeatFilter filter;
  for (int second = 0; second < 5; ++second) filter.pass(at(second), Level::Warn, "disk full");
  const auto lines = filter.pass(at(60), Level::Info, "quiet again");
  EXPECT_EQ(texts(lines), (Texts{"4 more times: disk full", "quiet again"}));
  EXPECT_EQ(lines.front().level, Level::Warn);
  EXPECT_EQ(texts(filter.pass(at(61), Level::Warn, "disk full")), Texts{"disk full"});
}

TEST(RepeatFilter, ReportsNothingAboutALineThatCameOnce) {  // R2
  RepeatFilter filter;
  filter.pass(at(0), Level::Info, "a");
  EXPECT_EQ(texts(filter.pass(at(60), Level::Info, "b")), Texts{"b"});
  EXPECT_EQ(texts(filter.flush()), Texts{});
}

TEST(RepeatFilter, ReportsEverythingAtTheEnd) {
  RepeatFilter filter;
  for (int i = 0; i < 3; ++i) filter.pass(at(0), Level::Info, "a");
  EXPECT_EQ(texts(filter.flush()), Texts{"2 more times: a"});
  EXPECT_EQ(texts(filter.flush()), Texts{});
}

TEST(RepeatFilter, RemembersABoundedNumberOfLines) {  // R3
  RepeatFilter filter;
  filter.pass(at(0), Level::Info, "first");
  filter.pass(at(0), Level::Info, "first");
  for (std::size_t i = 1; i < RepeatFilter::kRemembered; ++i) {
    filter.pass(at(0), Level::Info, std::to_string(i));
  }
  EXPECT_EQ(texts(filter.pass(at(0), Level::Info, "one more")),
            (Texts{"1 more time: first", "one more"}));
  EXPECT_EQ(texts(filter.pass(at(0), Level::Info, "first")), Texts{"first"});
}

}  // namespace repeat_filter_test
}  // namespace graspd::app
