#include <gtest/gtest.h>
#include <limits>

#include "nostr/json.h"

namespace graspd::nostr {
namespace json_filter_test {

const std::string kLow(64, '1'), kHigh(64, 'f');

std::string refusal(std::string_view text) {
  JsonReader reader;
  const auto result = reader.filter(text);
  return result ? "accepted" : result.error();
}

Filter accepted(std::string_view text) {
  JsonReader reader;
  auto result = reader.filter(text);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error());
  return result ? *result : Filter();
}

TEST(JsonFilter, MayBeEmpty) { EXPECT_EQ(accepted("{}"), Filter()); }

TEST(JsonFilter, ReadsEveryCondition) {
  const Filter filter = accepted(R"({"ids":[")" + kLow + R"("],"authors":[")" + kHigh +
                                 R"("],"kinds":[1],"#t":["x"],"since":5,"until":9,"limit":3})");
  EXPECT_EQ(filter.ids, std::vector{*EventId::from_hex(kLow)});
  EXPECT_EQ(filter.authors, std::vector{*PublicKey::from_hex(kHigh)});
  EXPECT_EQ(filter.kinds, std::vector{Kind{1}});
  EXPECT_EQ(filter.tags, (std::vector<TagCondition>{{'t', {"x"}}}));
  EXPECT_EQ(filter.since, 5);
  EXPECT_EQ(filter.until, 9);
  EXPECT_EQ(filter.limit, 3U);
}

TEST(JsonFilter, SortsListsAndDropsRepeats) {
  const Filter filter = accepted(R"({"kinds":[7,1,7],"#t":["b","a","b"],"#E":[],"authors":[")" +
                                 kHigh + "\",\"" + kLow + "\",\"" + kHigh + R"("]})");
  EXPECT_EQ(filter.kinds, (std::vector{Kind{1}, Kind{7}}));
  EXPECT_EQ(filter.authors, (std::vector{*PublicKey::from_hex(kLow), *PublicKey::from_hex(kHigh)}));
  EXPECT_EQ(filter.tags, (std::vector<TagCondition>{{'E', {}}, {'t', {"a", "b"}}}));
}

TEST(JsonFilter, KeepsEmptyListsAsConditions) {
  EXPECT_TRUE(accepted(R"({"ids":[]})").is_impossible());
  EXPECT_TRUE(accepted(R"({"#p":[]})").is_impossible());
}

TEST(JsonFilter, RefusesUnknownMembersByName) {  // R4
  const std::string unknown = "unsupported: filter contains unknown elements: ";
  EXPECT_EQ(refusal(R"({"search":"x"})"), unknown + "search");
  EXPECT_EQ(refusal(R"({"#ab":["x"]})"), unknown + "#ab");
  EXPECT_EQ(refusal(R"({"#1":["x"]})"), unknown + "#1");
  EXPECT_EQ(refusal(R"({"#":["x"]})"), unknown + "#");
  EXPECT_EQ(refusal(R"({"&t":["x"]})"), unknown + "&t");
  EXPECT_EQ(refusal(R"({"":1})"), unknown);
}

TEST(JsonFilter, ShowsUnknownNamesShortAndTame) {  // R4
  const std::string unknown = "unsupported: filter contains unknown elements: ";
  EXPECT_EQ(refusal(R"({"a\n\"\u0000é b":1})"), unknown + "a????" + "??b");
  EXPECT_EQ(refusal("{\"" + std::string(1000, 'x') + "\":1}"), unknown + std::string(64, 'x'));
}

TEST(JsonFilter, RefusesRepeatedMembers) {
  for (const auto* text :
       {R"({"ids":[],"ids":[]})", R"({"authors":[],"authors":[]})", R"({"kinds":[1],"kinds":[]})",
        R"({"since":1,"since":1})", R"({"until":1,"until":1})", R"({"limit":1,"limit":1})",
        R"({"#t":["a"],"#t":["b"]})"}) {
    EXPECT_TRUE(refusal(text).ends_with(" is there twice")) << text;
  }
}

TEST(JsonFilter, RefusesWrongTypes) {
  for (const auto* name : {"ids", "authors", "kinds", "#e"}) {
    for (const auto* value : {"1", "null", "\"x\"", "{}", "[null]", "[[]]", "[1.5]", "[{}]"}) {
      const std::string text = "{\"" + std::string(name) + "\":" + value + "}";
      EXPECT_TRUE(refusal(text).starts_with("invalid: " + std::string(name) + " must be")) << text;
    }
  }
  for (const auto* name : {"since", "until", "limit"}) {
    for (const auto* value : {"null", "\"1\"", "[]", "1.0", "1e3", "true", "01"}) {
      const std::string text = "{\"" + std::string(name) + "\":" + value + "}";
      EXPECT_TRUE(refusal(text).starts_with("invalid: " + std::string(name) + " must be")) << text;
    }
  }
}

TEST(JsonFilter, RefusesHexThatIsNotExact) {
  for (const std::string& value : {std::string(64, 'F'), std::string(63, 'f'), std::string()}) {
    EXPECT_EQ(refusal("{\"ids\":[\"" + value + "\"]}"),
              "invalid: ids must be strings of 64 lower-case hex digits");
  }
}

TEST(JsonFilter, RefusesKindsThatCannotBe) {
  for (const auto* value : {"65536", "-1", "1e2"}) {
    EXPECT_EQ(refusal("{\"kinds\":[" + std::string(value) + "]}"),
              "invalid: kinds must be integers from 0 to 65535");
  }
}

TEST(JsonFilter, ClampsTimesToWhatCanBe) {
  constexpr auto kForever = std::numeric_limits<core::UnixSeconds>::max();
  EXPECT_EQ(accepted(R"({"since":-5})").since, 0);
  EXPECT_EQ(accepted(R"({"since":99999999999999999999999})").since, kForever);
  EXPECT_EQ(accepted(R"({"until":18446744073709551615})").until, kForever);
  EXPECT_TRUE(accepted(R"({"until":-5})").is_impossible());
  EXPECT_EQ(accepted(R"({"until":-99999999999999999999999})").until, -kForever);
}

TEST(JsonFilter, TakesAnyLimitThatIsNotNegative) {
  EXPECT_EQ(accepted(R"({"limit":0})").limit, 0U);
  EXPECT_EQ(accepted(R"({"limit":99999999999999999999999})").limit,
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(refusal(R"({"limit":-1})"), "invalid: limit must be a non-negative integer");
}

TEST(JsonFilter, RefusesOtherThings) {
  for (const auto* text : {"", "[]", "1", "{", "{}}", "{}{}", R"({"kinds":[1],})", R"({"limit"})",
                           R"({"kinds":[1 2]})", R"({"#t":["a",]})"}) {
    EXPECT_TRUE(refusal(text).starts_with("invalid: ")) << text << ": " << refusal(text);
  }
}

}  // namespace json_filter_test
}  // namespace graspd::nostr
