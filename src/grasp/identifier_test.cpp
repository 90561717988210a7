#include "grasp/identifier.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::grasp {
namespace identifier_test {

using namespace std::string_literals;

TEST(Identifier, KeepsWhatIsAllowedVerbatim) {  // R4
  for (const std::string& text :
       {"a"s,        "my-repo"s, "my repo"s, " a "s,        "a:b:c"s,
        ".hidden"s,  "..."s,     "..a"s,     "x.git"s,      ".git"s,
        "-rf"s,      "%2e%2e"s,  "C:"s,      "ünï"s,        "🚀"s,
        "a\u00a0b"s, "\u07ff"s,  "\uffff"s,  "\U0010ffff"s, std::string(251, 'a')}) {
    const auto identifier = Identifier::parse(text);
    ASSERT_TRUE(identifier) << text;
    EXPECT_EQ(identifier->text(), text);
    EXPECT_FALSE(Identifier::fault(text));
  }
}

TEST(Identifier, SaysWhyItIsRefused) {  // R1, R2, R3
  const std::vector<std::pair<std::string, BadIdentifier>> cases = {
      {"", BadIdentifier::Empty},
      {".", BadIdentifier::DotSegment},
      {"..", BadIdentifier::DotSegment},
      {"a/b", BadIdentifier::Separator},
      {"/", BadIdentifier::Separator},
      {"../x", BadIdentifier::Separator},
      {"a\\b", BadIdentifier::Separator},
      {"a\0b"s, BadIdentifier::ControlCharacter},
      {"a\n", BadIdentifier::ControlCharacter},
      {"\x1f", BadIdentifier::ControlCharacter},
      {"\x7f", BadIdentifier::ControlCharacter},
      {"\u0080", BadIdentifier::ControlCharacter},
      {"a\u009f", BadIdentifier::ControlCharacter},
      {std::string(252, 'a'), BadIdentifier::TooLong},
      {"\x80", BadIdentifier::NotUtf8},
      {"\xc0\xaf", BadIdentifier::NotUtf8},          // an overlong '/'
      {"\xe0\x80\xaf", BadIdentifier::NotUtf8},      // the same in three bytes
      {"\xf0\x80\x80\xaf", BadIdentifier::NotUtf8},  // and in four
      {"\xed\xa0\x80", BadIdentifier::NotUtf8},      // a surrogate
      {"\xf4\x90\x80\x80", BadIdentifier::NotUtf8},  // beyond Unicode
      {"a\xc3", BadIdentifier::NotUtf8},
      {"a\xe2\x82", BadIdentifier::NotUtf8},
      {"\xc3(", BadIdentifier::NotUtf8},
      {"\xff", BadIdentifier::NotUtf8},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_EQ(Identifier::fault(text), reason) << ::testing::PrintToString(text);
    EXPECT_FALSE(Identifier::parse(text));
    EXPECT_FALSE(describe(reason).empty());
  }
}

TEST(Identifier, OfRandomBytesIsOneFolderOrRefused) {
  core::Rng rng(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(rng.below(6), ' ');
    for (char& c : text) c = static_cast<char>(rng.one_in(3) ? rng.below(128) : rng.below(256));
    const auto identifier = Identifier::parse(text);
    if (!identifier) continue;
    EXPECT_EQ(text.find_first_of("/\\\0"s), std::string::npos);
    EXPECT_TRUE(text != "" && text != "." && text != "..");
  }
}

}  // namespace identifier_test
}  // namespace graspd::grasp
