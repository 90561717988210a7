#include "core/escaped.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace escaped_test {

TEST(Escaped, WritesDownWhatWouldSteerATerminal) {  // R1
  EXPECT_EQ(escaped("a\x1b[2Jb\r\nc\td\x7f"), "a\\x1b[2Jb\\x0d\\nc\\x09d\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m \xc2\x85 \xc2\x80"),
            "\\u009b31m \\u0085 \\u0080");
  EXPECT_EQ(escaped("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
  EXPECT_EQ(escaped("\u202egnp.exe\u2069 \u200f\u061c"), "\\u202egnp.exe\\u2069 \\u200f\\u061c");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Escaped, KeepsLinesWhenTold) { EXPECT_EQ(escaped("a\nb\r\n", Newlines::Kept), "a\nb\\x0d\n"); }

TEST(Escaped, WritesDownBytesThatAreNoText) {  // R2
  EXPECT_EQ(escaped("a\x9b"
                    "31m"),
            "a\\x9b31m");
  EXPECT_EQ(escaped("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(escaped("\xc0\x9b"), "\\xc0\\x9b");           // an overlong ESC
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(escaped("\xf8\x88\x80\x80\x80"), "\\xf8\\x88\\x80\\x80\\x80");
}

TEST(Escaped, LeavesOtherTextAlone) {  // R3
  EXPECT_EQ(escaped("größe 大きさ 👍 \u00a0 \"\\n\""), "größe 大きさ 👍 \u00a0 \"\\n\"");
}

TEST(Escaped, KeepsJsonWhatItIs) {
  EXPECT_EQ(escaped_json("{\"a\":\"\xc2\x9b\x7f\u202e ü\\n\"}"),
            "{\"a\":\"\\u009b\\u007f\\u202e ü\\n\"}");
  EXPECT_EQ(escaped_json("{\n\t\"a\": 1}\r\n"), "{\n\t\"a\": 1}\r\n");
}

}  // namespace escaped_test
}  // namespace graspd::core
