#include "core/authority.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace authority_test {

using Names = Authority::Names;

std::string read(std::string_view text, Names names = Names::Ascii) {
  const auto authority = Authority::parse(text, names);
  if (!authority) return "refused";
  return authority->host + (authority->port ? " " + std::to_string(*authority->port) : "");
}

TEST(Authority, HasOneSpellingOfEveryHost) {  // R1
  EXPECT_EQ(read("Relay.Example."), "relay.example");
  EXPECT_EQ(read("[2001:DB8::0:1]"), "2001:db8::1");
  EXPECT_EQ(read("192.0.2.1"), "192.0.2.1");
  for (const char* text : {"192.0.2.01", "0x7f.1", "2130706433", "[192.0.2.1]", "[::1", ""})
    EXPECT_EQ(read(text), "refused") << text;
  EXPECT_EQ(read(std::string(254, 'a')), "refused");
}

TEST(Authority, TakesNamesAndNothingElse) {  // R2
  EXPECT_EQ(read("a-b_c.example"), "a-b_c.example");
  for (const char* text : {"us@evil.example", "a..b", ".a", "a b", "%c3%a9.example"})
    EXPECT_EQ(read(text), "refused") << text;
  EXPECT_EQ(read("%c3%a9.example", Names::PercentEncoded), "%c3%a9.example");
  EXPECT_EQ(read("%41.example", Names::PercentEncoded), "refused");
}

TEST(Authority, HasAPortOrNone) {  // R3
  EXPECT_EQ(read("a:7334"), "a 7334");
  EXPECT_EQ(read("[::1]:1"), "::1 1");
  EXPECT_EQ(read("a:"), "a");
  for (const char* text : {"a:0", "a:65536", "a:x", "a:1x", "[::1]1", "a:-1"})
    EXPECT_EQ(read(text), "refused") << text;
}

}  // namespace authority_test
}  // namespace graspd::core
