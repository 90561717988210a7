#include "web/columns.h"

#include <gtest/gtest.h>

namespace graspd::web::columns_test {

TEST(Columns, BeginAtTheSamePlace) {  // R1
  EXPECT_EQ(in_columns({{"A", "B", "C"}, {"long", "", "x"}, {"", "yy", ""}}),
            "A     B   C\n"
            "long      x\n"
            "      yy\n");
  EXPECT_EQ(in_columns({}), "");
}

TEST(Columns, BreakWideCellsBetweenWords) {  // R1, R2
  const std::string words = "the state declares three refs whose objects are not here yet";
  EXPECT_EQ(in_columns({{"NAME", "WHY", "END"}, {"a", words, "x"}, {"b", "well", "y"}}),
            "NAME  WHY                                              END\n"
            "a     the state declares three refs whose objects are  x\n"
            "      not here yet\n"
            "b     well                                             y\n");
}

TEST(Columns, BreakWordsThatAreTooLong) {  // R2
  const std::string url = "wss://" + std::string(60, 'a');
  const std::string text = in_columns({{"RELAY", "STATE"}, {url, "in sync"}});
  EXPECT_EQ(text, "RELAY" + std::string(45, ' ') + "STATE\n" + url.substr(0, kColumnMax) +
                      "  in sync\n" + url.substr(kColumnMax) + "\n");
}

TEST(Columns, LeaveTheLastOneWhole) {  // R2
  const std::string words(200, 'x');
  EXPECT_EQ(in_columns({{"a", words}}), "a  " + words + "\n");
}

TEST(Columns, CountWhatATerminalShows) {  // R3
  EXPECT_EQ(terminal_width("abc"), 3u);
  EXPECT_EQ(terminal_width("npub1…x"), 7u);
  EXPECT_EQ(terminal_width("日本"), 4u);
  EXPECT_EQ(terminal_width("e\xcc\x81"), 1u);
  EXPECT_EQ(terminal_width("😀"), 2u);
  EXPECT_EQ(terminal_width("\xff\xfe"), 2u);
  EXPECT_EQ(in_columns({{"日本", "x"}, {"abcd", "y"}}), "日本  x\nabcd  y\n");
}

}  // namespace graspd::web::columns_test
