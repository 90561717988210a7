#include "app/config/config_file.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace config_file_test {

std::string value_of(std::string_view line) {
  const auto file = parse_config_text("f", line);
  if (!file) return "failure: " + file.error();
  if (file->entries.size() != 1) return "entries: " + std::to_string(file->entries.size());
  return file->entries.front().value;
}

TEST(ConfigFile, ReadsSettingsAndRemembersTheirLines) {  // R1
  const auto file = parse_config_text(".env", "# a comment\n\nNGIT_A=1\r\n  export B = two \n");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->entries.size(), 2U);
  EXPECT_EQ(file->entries[0].key, "NGIT_A");
  EXPECT_EQ(file->entries[0].value, "1");
  EXPECT_EQ(file->entries[0].line, 3U);
  EXPECT_EQ(file->entries[1].key, "B");
  EXPECT_EQ(file->entries[1].value, "two");
  EXPECT_EQ(file->entries[1].line, 4U);
}

TEST(ConfigFile, EndsABareValueAtAComment) {  // R2
  EXPECT_EQ(value_of("A=one two # three"), "one two");
  EXPECT_EQ(value_of("A=a#b"), "a#b");
  EXPECT_EQ(value_of("A=# nothing"), "");
  EXPECT_EQ(value_of("A="), "");
  EXPECT_EQ(value_of("A=b=c"), "b=c");
}

TEST(ConfigFile, KeepsWhatStandsInQuotes) {  // R2
  EXPECT_EQ(value_of("A=' # \\n \"'"), " # \\n \"");
  EXPECT_EQ(value_of(R"(A="a \"b\" \\ \$ \n#" # comment)"), "a \"b\" \\ $ \n#");
  EXPECT_EQ(value_of("A=\"\""), "");
}

TEST(ConfigFile, SaysWhichLineIsWrong) {
  const auto failure = [](std::string_view text) { return parse_config_text("f", text).error(); };
  EXPECT_EQ(failure("A=1\nhello\n"),
            "f:2: is not KEY=VALUE; write one setting a line, # for comments");
  EXPECT_EQ(failure("a b=1").substr(0, 22), "f:1: is not KEY=VALUE;");
  EXPECT_EQ(failure("=1").substr(0, 22), "f:1: is not KEY=VALUE;");
  EXPECT_EQ(failure("A=\"open"), "f:1: a quote is not closed; quote the whole value or none of it");
  EXPECT_EQ(failure("A='x' y").substr(0, 40), "f:1: there is text after the closing quo");
}

TEST(ConfigFile, SaysThatAFileCannotBeRead) {
  const auto file = read_config_file("/nonexistent/graspd.conf");
  ASSERT_FALSE(file);
  EXPECT_EQ(
      file.error(),
      "cannot read the configuration file /nonexistent/graspd.conf: No such file or directory");
}

}  // namespace config_file_test
}  // namespace graspd::app
