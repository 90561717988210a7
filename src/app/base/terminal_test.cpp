#include "app/base/terminal.h"

#include <gtest/gtest.h>

#include "nostr/json.h"

namespace graspd::app {
namespace terminal_test {

TEST(Terminal, GetsNoCommandsFromStrangers) {  // R1
  EXPECT_EQ(for_terminal("a\x1b[2Jb\r\nc\u009b31m é \x7f\u202e"),
            "a\\x1b[2Jb\\x0d\nc\\u009b31m é \\x7f\\u202e");
  EXPECT_EQ(one_line("no\ngraspd: all is well"), "no\\ngraspd: all is well");
}

TEST(Terminal, ShowsEventsThatReadersUnderstandAsBefore) {  // R2
  nostr::Event event;
  event.content = "\x1b]0;\u009b\x7f\u2028\u202e";
  const std::string text = printed(event);
  EXPECT_EQ(text.find('\x7f'), std::string::npos) << text;
  EXPECT_EQ(text.find("\u009b"), std::string::npos) << text;
  const auto read = nostr::JsonReader().event(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->content, event.content);
}

}  // namespace terminal_test
}  // namespace graspd::app
