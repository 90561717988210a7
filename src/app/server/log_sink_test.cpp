#include "app/server/log_sink.h"

#include <gtest/gtest.h>
#include <regex>

namespace graspd::app {
namespace log_sink_test {

using core::log::Level;

std::string written(LogFormat format, std::optional<Level> level,
                    const std::function<void(LogSink&)>& act) {
  ::testing::internal::CaptureStderr();
  {
    LogSink sink(level, format);
    act(sink);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogSink, WritesToStdoutWhenTold) {
  ::testing::internal::CaptureStdout();
  LogSink(Level::Info, LogFormat::Text, LogSink::To::Stdout).write(Level::Info, "hello");
  EXPECT_TRUE(::testing::internal::GetCapturedStdout().ends_with("hello\n"));
}

TEST(LogSink, WritesTimeLevelAndText) {
  const std::string text = written(LogFormat::Text, Level::Info,
                                   [](LogSink& sink) { sink.write(Level::Info, "hello {}"); });
  const std::regex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info +hello \{\}\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

TEST(LogSink, WritesOneJsonObjectALine) {
  const std::string text = written(LogFormat::Json, Level::Info,
                                   [](LogSink& sink) { sink.write(Level::Warn, "a\"b\n"); });
  const std::regex form(R"(\{"time":"[^"]+Z","level":"warning","message":"a\\"b\\n"\}\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

TEST(LogSink, KeepsQuietBelowItsLevel) {
  const auto act = [](LogSink& sink) {
    sink.write(Level::Debug, "debug");
    sink.write(Level::Error, "error");
  };
  const std::string text = written(LogFormat::Text, Level::Warn, act);
  EXPECT_EQ(text.find("debug"), std::string::npos);
  EXPECT_NE(text.find("error"), std::string::npos);
  EXPECT_EQ(written(LogFormat::Text, std::nullopt, act), "");
}

TEST(LogSink, CountsRepeatedLines) {  // R3
  const std::string text = written(LogFormat::Text, Level::Info, [](LogSink& sink) {
    for (int i = 0; i < 5; ++i) sink.write(Level::Warn, "disk full");
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_NE(text.find("4 more times: disk full"), std::string::npos) << text;
}

TEST(LogSink, LetsNobodyForgeLinesOrSteerTerminals) {  // R1
  EXPECT_EQ(as_one_line("a\nb\x1b[31m\t\x7f ü"), "a\\nb\\x1b[31m\\x09\\x7f ü");
  EXPECT_EQ(as_one_line("a\u0085b\u2028c\u2029d\u009b31m\u202e"),
            "a\\u0085b\\u2028c\\u2029d\\u009b31m\\u202e");
  EXPECT_EQ(as_json_line("a\u2028\u009b"), "\"a\\u2028\\u009b\"");
}

TEST(LogSink, CutsLongLinesBetweenCharacters) {  // R2
  EXPECT_EQ(as_one_line(std::string(5'000, 'x')).size(), LogSink::kLineBytesMax);
  std::string umlauts = "x";
  for (int i = 0; i < 2'000; ++i) umlauts += "ü";
  EXPECT_EQ(as_one_line(umlauts).size(), LogSink::kLineBytesMax - 1);
}

}  // namespace log_sink_test
}  // namespace graspd::app
