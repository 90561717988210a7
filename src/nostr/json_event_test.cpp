#include <gtest/gtest.h>

#include "core/rng.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace json_event_test {

const std::string kId(64, 'a'), kAuthor(64, 'b'), kSig(128, 'c');

// An event in which single members can be written differently, or left out.
class EventText {
 public:
  EventText& set(const std::string& name, const std::string& json) {
    for (auto& [member, value] : members_) {
      if (member == name) value = json;
    }
    return *this;
  }
  EventText& add(const std::string& name, const std::string& json) {
    members_.emplace_back(name, json);
    return *this;
  }
  EventText& remove(const std::string& name) {
    std::erase_if(members_, [&](const auto& member) { return member.first == name; });
    return *this;
  }
  std::string text() const {
    std::string out = "{";
    for (const auto& [name, value] : members_) {
      if (out.size() > 1) out += ",";
      out += "\"" + name + "\":" + value;
    }
    return out + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_ = {
      {"id", "\"" + kId + "\""},  {"pubkey", "\"" + kAuthor + "\""},
      {"created_at", "1000"},     {"kind", "1"},
      {"tags", R"([["t","x"]])"}, {"content", "\"hello\""},
      {"sig", "\"" + kSig + "\""}};
};

std::string refusal(const std::string& text) {
  JsonReader reader;
  const auto result = reader.event(text);
  return result ? "accepted" : result.error();
}
std::string refusal(const EventText& text) { return refusal(text.text()); }

Event accepted(const EventText& text) {
  JsonReader reader;
  auto result = reader.event(text.text());
  EXPECT_TRUE(result) << (result ? "" : result.error()) << "\n" << text.text();
  return result ? *result : Event();
}

std::string content_of(const std::string& json_string) {
  return accepted(EventText().set("content", json_string)).content;
}

TEST(JsonEvent, ReadsEveryMember) {  // R1
  const Event event = accepted(EventText());
  EXPECT_EQ(event.id.hex(), kId);
  EXPECT_EQ(event.pubkey.hex(), kAuthor);
  EXPECT_EQ(event.created_at, 1000);
  EXPECT_EQ(event.kind, Kind{1});
  EXPECT_EQ(event.tags, (Tags{{"t", "x"}}));
  EXPECT_EQ(event.content, "hello");
  EXPECT_EQ(event.sig.hex(), kSig);
}

TEST(JsonEvent, TakesWhiteSpaceAndAnyOrder) {
  const std::string text = "\n{ \"sig\" : \"" + kSig + "\",\t\"content\":\"\", \"tags\" : [ ],\r" +
                           " \"kind\" : 1 , \"created_at\":0 ,\"pubkey\": \"" + kAuthor +
                           "\" , \"id\":\"" + kId + "\" } ";
  EXPECT_EQ(refusal(text), "accepted");
}

TEST(JsonEvent, IgnoresUnknownMembers) {  // R2
  EXPECT_EQ(accepted(EventText()
                         .add("seen", R"({"a":[1,-2.5e+3,null,true,false,"\u00e9"],"b":{}})")
                         .add("n", "123456789012345678901234567890")),
            accepted(EventText()));
}

TEST(JsonEvent, RefusesMissingMembers) {  // R2
  for (const auto* name : {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}) {
    EXPECT_EQ(refusal(EventText().remove(name)), "invalid: " + std::string(name) + " is missing");
  }
  EXPECT_EQ(refusal(std::string("{}")), "invalid: id is missing");
}

TEST(JsonEvent, RefusesRepeatedMembers) {  // R2
  EXPECT_EQ(refusal(EventText().add("kind", "1")), "invalid: kind is there twice");
  EXPECT_EQ(refusal(EventText().add("k\\u0069nd", "1")), "invalid: kind is there twice");
}

TEST(JsonEvent, RefusesMistypedMembers) {  // R2
  for (const auto* name : {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}) {
    for (const auto* value : {"null", "true", "{}", "1.5", "[1]", "[[1]]"}) {
      EXPECT_TRUE(refusal(EventText().set(name, value)).starts_with("invalid: ")) << name << value;
    }
  }
}

TEST(JsonEvent, RefusesHexThatIsNotExact) {  // R3
  const std::string expected = "invalid: id must be 64 lower-case hex digits";
  for (const std::string& value : {std::string(64, 'A'), std::string(63, 'a'), std::string(66, 'a'),
                                   std::string(64, 'g'), std::string()}) {
    EXPECT_EQ(refusal(EventText().set("id", "\"" + value + "\"")), expected);
  }
  EXPECT_EQ(refusal(EventText().set("sig", "\"00\"")),
            "invalid: sig must be 128 lower-case hex digits");
}

TEST(JsonEvent, TakesTimesUpToWhatJavaScriptCanCount) {  // R3
  EXPECT_EQ(accepted(EventText().set("created_at", "0")).created_at, 0);
  EXPECT_EQ(accepted(EventText().set("created_at", "-0")).created_at, 0);
  EXPECT_EQ(accepted(EventText().set("created_at", "9007199254740992")).created_at, 1LL << 53);
  EXPECT_EQ(refusal(EventText().set("created_at", "9007199254740993")),
            "invalid: created_at is too large");
  EXPECT_EQ(refusal(EventText().set("created_at", "99999999999999999999999")),
            "invalid: created_at is too large");
  for (const auto* value : {"-1", "1.0", "1e3", "01", "+1", "0x1", "\"1\"", "1a", "-", "1 2"}) {
    EXPECT_TRUE(refusal(EventText().set("created_at", value)).starts_with("invalid: ")) << value;
  }
}

TEST(JsonEvent, TakesKindsUpTo65535) {  // R3
  EXPECT_EQ(accepted(EventText().set("kind", "65535")).kind, Kind{65'535});
  for (const auto* value : {"65536", "-1", "1.0", "1e2", "18446744073709551617", "\"1\""}) {
    EXPECT_EQ(refusal(EventText().set("kind", value)),
              "invalid: kind must be an integer from 0 to 65535");
  }
}

TEST(JsonEvent, TakesOnlyStringsInTags) {
  EXPECT_EQ(accepted(EventText().set("tags", R"([["a","",""],[""],["x","\u0000"]])")).tags,
            (Tags{{"a", "", ""}, {""}, {"x", std::string_view("\0", 1)}}));
  for (const auto* value :
       {R"([["a",1]])", R"([["a",null]])", R"([["a",["b"]]])", R"(["a"])", R"([null])"}) {
    EXPECT_EQ(refusal(EventText().set("tags", value)), "invalid: tags must be arrays of strings");
  }
  EXPECT_EQ(accepted(EventText().set("tags", "[[],[]]")).tags.size(), 2u);
}

TEST(JsonEvent, ReadsEveryEscape) {
  EXPECT_EQ(content_of(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(content_of(R"("\u0041\u00e9\u65e5\ud83d\ude00\uFFFF")"), "Aé日😀\uffff");
  EXPECT_EQ(content_of(R"("a\u0000b")"), std::string("a\0b", 3));
  EXPECT_EQ(content_of("\"\xef\xb7\x91\xf4\x8f\xbf\xb2\""), "\xef\xb7\x91\xf4\x8f\xbf\xb2");
}

TEST(JsonEvent, RefusesEscapesThatStandForNothing) {  // R3
  for (const auto* value : {R"("\ud83d")", R"("\ude00")", R"("\ud83d\u0041")", R"("\ud83dx")",
                            R"("\ud83d\ud83d")", R"("\ud83d\n")", R"("\u12")", R"("\u12g4")",
                            R"("\u-123")", R"("\u+123")", R"("\x41")", R"("\U0041")", R"("\a")"}) {
    EXPECT_TRUE(refusal(EventText().set("content", value)).starts_with("invalid: ")) << value;
    EXPECT_TRUE(refusal(EventText().add("other", value)).starts_with("invalid: ")) << value;
  }
}

TEST(JsonEvent, RefusesTextThatIsNotUtf8) {  // R3
  for (const auto* bytes : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(refusal(EventText().set("content", "\"" + std::string(bytes) + "\"")),
              "invalid: malformed JSON");
  }
}

TEST(JsonEvent, RefusesBareControlCharacters) {
  for (const char c : {'\0', '\n', '\t', '\x1f'}) {
    EXPECT_EQ(refusal(EventText().set("content", std::string("\"a") + c + "\"")),
              "invalid: malformed JSON");
  }
}

TEST(JsonEvent, RefusesDeepNesting) {  // R3
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(refusal(EventText().add("x", nested(8))), "accepted");
  EXPECT_EQ(refusal(EventText().add("x", nested(9))), "invalid: nested too deeply");
  EXPECT_EQ(refusal(EventText().add("x", nested(100'000))), "invalid: nested too deeply");
  EXPECT_TRUE(refusal(EventText().set("tags", nested(100'000))).starts_with("invalid: "));
}

TEST(JsonEvent, RefusesWhatIsNoJsonInsideIgnoredMembers) {  // R2
  for (const auto* value :
       {"",      "[1,]",          "[,]", "{1:2}",     "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "nul",
        "nulll", "truefalse",     "[1}", "{\"a\":1]", "1.",      ".5",       "1e",         "00",
        "[1 2]", "[\"a\":\"b\"]", "'a'", "NaN",       "--1",     "\"a\"b"}) {
    EXPECT_TRUE(refusal(EventText().add("x", value)).starts_with("invalid: ")) << value;
  }
}

TEST(JsonEvent, RefusesEveryPrefixOfAnEvent) {  // R1
  const std::string text = EventText().text();
  JsonReader reader;
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(reader.event(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_TRUE(reader.event(text));
}

TEST(JsonEvent, RefusesWhatFollowsTheEvent) {  // R1
  const std::string text = EventText().text();
  for (const auto* more : {"x", "{}", ",", "}", "]", "1", "\"\"", "{}}"}) {
    EXPECT_EQ(refusal(text + more), "invalid: malformed JSON") << more;
  }
  EXPECT_EQ(refusal(text + std::string(1, '\0')), "invalid: malformed JSON");
}

TEST(JsonEvent, RefusesOtherThings) {
  for (const auto* text : {"", " ", "[]", "1", "\"x\"", "null", "{", "}", "{]", "\xef\xbb\xbf{}"}) {
    EXPECT_TRUE(refusal(std::string(text)).starts_with("invalid: ")) << text;
  }
}

TEST(JsonEvent, ReadsLargeAndSmallTextsInTurn) {
  JsonReader reader;
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += R"(["t","value"],)";
  rows.back() = ' ';
  const std::string large = EventText().set("tags", "[" + rows + "]").text();
  for (int round = 0; round < 2; ++round) {
    const auto event = reader.event(large);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->tags.size(), 100'000U);
    EXPECT_TRUE(reader.event(EventText().text()));
  }
}

std::string random_text(core::Rng& rng) {
  static const std::vector<std::string> kPieces = {"plain text", "é", "日", "😀", "\"", "\\", "/"};
  std::string text;
  while (!rng.one_in(6)) {
    if (rng.one_in(3)) {
      text += kPieces[rng.below(kPieces.size())];
    } else {
      text += static_cast<char>(rng.below(0x80));
    }
  }
  return text;
}

template <class Bytes>
Bytes random_bytes(core::Rng& rng) {
  typename Bytes::Bytes bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return Bytes(bytes);
}

Event random_event(core::Rng& rng) {
  Event event;
  event.pubkey = random_bytes<PublicKey>(rng);
  event.sig = random_bytes<Signature>(rng);
  event.created_at = static_cast<core::UnixSeconds>(rng.below((1ULL << 53) + 1));
  event.kind = Kind{static_cast<std::uint16_t>(rng.next())};
  while (!rng.one_in(5)) {
    event.tags.begin_row();
    do event.tags.append(random_text(rng));
    while (!rng.one_in(3));
  }
  event.content = random_text(rng);
  event.id = compute_id(event);
  return event;
}

TEST(JsonEvent, ReadsBackWhatIsWritten) {
  constexpr std::uint64_t kSeed = 20'240'601;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  JsonReader reader;
  for (int round = 0; round < 3'000; ++round) {
    const Event event = random_event(rng);
    const std::string json = to_json(event);
    const auto back = reader.event(json);
    ASSERT_TRUE(back) << back.error() << "\n" << json;
    ASSERT_EQ(*back, event) << json;
    EXPECT_EQ(to_json_if_id_is_right(*back), json);
  }
}

TEST(JsonEvent, SurvivesDamagedText) {
  constexpr std::uint64_t kSeed = 99;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  JsonReader reader;
  for (int round = 0; round < 5'000; ++round) {
    std::string json = to_json(random_event(rng));
    json[rng.below(json.size())] = "\"\\{}[]:,0x\x01\xff"[rng.below(12)];
    const auto event = reader.event(json);
    if (!event) continue;
    const auto back = reader.event(to_json(*event));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, *event);
  }
}

}  // namespace json_event_test
}  // namespace graspd::nostr
