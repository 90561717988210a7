#include "git/ref_name.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace ref_name_test {

using namespace std::string_literals;

TEST(RefName, IsReadAndKeptAsItIs) {
  for (const std::string& text :
       {"refs/heads/main"s, "refs/heads/a/b/c"s, "refs/tags/v1.0"s, "refs/heads/-dash"s,
        "refs/heads/a.b./c"s, "refs/heads/@"s, "refs/heads/{x}"s, "refs/heads/HEAD"s,
        "refs/heads/\xc3\xbc"s, "refs/heads/\xff"s, "refs/heads/lock"s, "refs/heads/a.lockx"s,
        "refs/meta/config"s, "refs/heads/a\"b'$;&|<>"s}) {
    const auto ref = RefName::parse(text);
    ASSERT_TRUE(ref) << text;
    EXPECT_EQ(ref->text(), text);
  }
}

TEST(RefName, BeginsWithRefsAndHasThreeParts) {  // R1
  for (const auto* text : {"", "HEAD", "main", "refs", "refs/", "refs/heads", "refs/stash",
                           "heads/main", "/refs/heads/main", "Refs/heads/main", "xrefs/heads/a"}) {
    EXPECT_FALSE(RefName::parse(text)) << text;
  }
}

TEST(RefName, HasNoPartThatGitRefuses) {  // R2
  for (const auto* text : {"refs/heads/", "refs/heads//a", "refs//heads/a", "refs/heads/a/",
                           "refs/heads/.a", "refs/.heads/a", "refs/heads/a/.b", "refs/heads/a.lock",
                           "refs/heads/a.lock/b", "refs/heads/.lock", "refs/heads/a..b",
                           "refs/heads/..", "refs/heads/a.", "refs/heads/a@{b", "refs/heads/@{"}) {
    EXPECT_FALSE(RefName::parse(text)) << text;
  }
}

TEST(RefName, HasNoByteThatGitRefuses) {  // R2
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_bad = byte < 0x20 || " ~^:?*[\\\x7f"s.find(c) != std::string::npos;
    EXPECT_EQ(RefName::parse("refs/heads/a"s + c + "b").has_value(), !is_bad) << byte;
  }
}

TEST(RefName, HasAGreatestLength) {  // R3
  std::string longest = "refs/heads/";
  while (longest.size() < RefName::kBytesMax) longest += longest.size() % 100 == 99 ? '/' : 'x';
  EXPECT_TRUE(RefName::parse(longest));
  EXPECT_FALSE(RefName::parse(longest + "x"));
}

TEST(RefName, HasPartsThatAFileAndItsLockCanBeNamed) {  // R4
  const std::string longest(250, 'a');
  EXPECT_TRUE(RefName::parse("refs/heads/" + longest));
  EXPECT_TRUE(RefName::parse("refs/heads/" + longest + "/" + longest));
  EXPECT_FALSE(RefName::parse("refs/heads/" + longest + "a"));
  EXPECT_FALSE(RefName::parse("refs/heads/" + longest + "a/b"));
}

TEST(RefName, SaysWhatIsTooLong) {  // R3 R4
  EXPECT_EQ(RefName::why_too_long("refs/heads/main"), std::nullopt);
  EXPECT_EQ(RefName::why_too_long("refs/heads/" + std::string(300, 'a')),
            "has a part of 300 bytes, and a file can hold 250");
  EXPECT_EQ(RefName::why_too_long("refs/heads/" + std::string(251, 'a') + "/b"),
            "has a part of 251 bytes, and a file can hold 250");
  EXPECT_EQ(RefName::why_too_long(std::string(1025, 'a')),
            "has 1025 bytes, and 1024 is the most a ref can have here");
}

TEST(RefName, LiesInASpaceAndHasAShortName) {
  using Space = RefName::Space;
  const std::tuple<std::string, Space, std::string> rows[] = {
      {"refs/heads/a/b", Space::Heads, "a/b"},
      {"refs/tags/v1", Space::Tags, "v1"},
      {"refs/nostr/00ff", Space::Nostr, "00ff"},
      {"refs/notes/commits", Space::Other, "notes/commits"},
      {"refs/headsx/a", Space::Other, "headsx/a"},
  };
  for (const auto& [text, space, short_name] : rows) {
    EXPECT_EQ(RefName::parse(text)->space(), space) << text;
    EXPECT_EQ(RefName::parse(text)->short_name(), short_name) << text;
  }
}

TEST(RefName, IsOrderedByItsBytes) {
  EXPECT_LT(*RefName::parse("refs/heads/a"), *RefName::parse("refs/heads/b"));
  EXPECT_EQ(*RefName::parse("refs/heads/a"), *RefName::parse("refs/heads/a"));
}

}  // namespace ref_name_test
}  // namespace graspd::git
