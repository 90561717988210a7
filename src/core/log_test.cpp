#include "core/log.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace graspd::core::log {
namespace {

class Recorder : public Sink {
 public:
  explicit Recorder(Level least) : least_(least) { install(this); }
  ~Recorder() override { install(nullptr); }
  bool wants(Level level) const override { return level >= least_; }
  void write(Level level, std::string_view text) override { lines.emplace_back(level, text); }

  std::vector<std::pair<Level, std::string>> lines;

 private:
  Level least_;
};

struct Costly {
  int* times;
};

}  // namespace
}  // namespace graspd::core::log

template <>
struct fmt::formatter<graspd::core::log::Costly> : fmt::formatter<int> {
  auto format(const graspd::core::log::Costly& costly, format_context& context) const {
    return fmt::formatter<int>::format(++*costly.times, context);
  }
};

namespace graspd::core::log {
namespace {

TEST(Log, VanishesWithoutASink) {
  EXPECT_FALSE(enabled(Level::Error));
  error("nobody reads {}", 1);
  write(Level::Error, "nor this");
}

TEST(Log, HandsFormattedLinesToTheSink) {
  Recorder recorder(Level::Trace);
  debug("a {}", 1);
  info("b {}", "two");
  warn("c");
  error("d {:02x}", 10);
  const std::vector<std::pair<Level, std::string>> expected = {
      {Level::Debug, "a 1"}, {Level::Info, "b two"}, {Level::Warn, "c"}, {Level::Error, "d 0a"}};
  EXPECT_EQ(recorder.lines, expected);
}

TEST(Log, DoesNotFormatWhatTheSinkDoesNotWant) {
  Recorder recorder(Level::Warn);
  int formatted = 0;
  info("{}", Costly{&formatted});
  EXPECT_EQ(formatted, 0);
  warn("{}", Costly{&formatted});
  EXPECT_EQ(formatted, 1);
  EXPECT_EQ(recorder.lines.size(), 1u);
}

TEST(Log, IsSilentAgainWhenTheSinkIsTakenAway) {
  {
    Recorder recorder(Level::Trace);
  }
  EXPECT_FALSE(enabled(Level::Error));
}

}  // namespace
}  // namespace graspd::core::log
