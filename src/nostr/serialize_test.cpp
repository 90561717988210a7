#include "nostr/serialize.h"

#include <gtest/gtest.h>

namespace graspd::nostr {
namespace serialize_test {

constexpr auto kAuthor = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

Event make(core::UnixSeconds created_at, std::uint16_t kind, Tags tags, std::string content) {
  Event event;
  event.pubkey = *PublicKey::from_hex(kAuthor);
  event.created_at = created_at;
  event.kind = Kind{kind};
  event.tags = std::move(tags);
  event.content = std::move(content);
  return event;
}

// The digests were computed by another program (Python's hashlib over text built by its rules).
struct Vector {
  Event event;
  std::string id;
};

std::vector<Vector> vectors() {
  const std::string long_id = "abababababababababababababababababababababababababababababababab";
  return {
      {make(1'700'000'000, 1, {{"t", "nostr"}, {"e", long_id, "wss://relay.example"}}, "hello"),
       "7731d5da1519a73bda5cf1113abfb13fde20ca0f3f8e26b6256cdffd0ad26e27"},
      {make(0, 0, {}, ""), "780fad06ff8772756e1d15ae1af063584ae364d14f8e405242e773b54f729f41"},
      {make(1'700'000'000, 1, {{"a\n", "\"\\"}}, "\n\"\\\r\t\b\f/"),
       "e899b1605a7a7b91920a0be0b9db68fc2e0466ddbe988b4f2709473ae6355857"},
      {make(1'700'000'000, 30'617, {{"d", "é日本"}}, "😀 \u2028 \x7f \ufdd1"),
       "6c45bb817a80c961b2ddd56fd38a2327ff23e8ebbdefeeaae23e77781c9d6e00"},
  };
}

// Holds control characters for which NIP-01 lists no escape.
Event rare() { return make(1'700'000'000, 1, {{"x", "\x1f"}}, std::string("a\0b\x01", 4)); }
constexpr auto kRareVerbatim = "d620296c7119f334a67d0ab9b051556dfd943233a4eda2e75ba28043c4f96862";
constexpr auto kRareEscaped = "61648a9e81281a709a0ef160655325099066c696360cd215ebe5ba0c5f1511e1";

Event with_id(Event event, const std::string& id) {
  event.id = *EventId::from_hex(id);
  return event;
}

TEST(Serialize, ComputesTheIdNip01Defines) {  // R1
  for (const auto& [event, id] : vectors()) EXPECT_EQ(compute_id(event).hex(), id);
}

TEST(Serialize, LeavesOtherControlCharactersVerbatimInTheId) {  // R1
  EXPECT_EQ(compute_id(rare()).hex(), kRareVerbatim);
}

TEST(Serialize, TakesTheIdEitherWay) {  // R3
  for (const auto* id : {kRareVerbatim, kRareEscaped}) {
    const Event event = with_id(rare(), id);
    EXPECT_TRUE(id_is_right(event));
    EXPECT_EQ(to_json_if_id_is_right(event), to_json(event));
  }
}

TEST(Serialize, RefusesAnyOtherId) {
  for (const Event& event : {rare(), make(1, 1, {{"t", "x"}}, "y")}) {
    EXPECT_FALSE(id_is_right(event));
    EXPECT_FALSE(to_json_if_id_is_right(event));
  }
}

TEST(Serialize, EveryHashedFieldChangesTheId) {
  const auto [event, id] = vectors().front();
  const Event good = with_id(event, id);
  EXPECT_TRUE(id_is_right(good));
  EXPECT_EQ(to_json_if_id_is_right(good), to_json(good));

  std::vector<Event> changed(5, good);
  changed[0].pubkey = PublicKey();
  changed[1].created_at += 1;
  changed[2].kind.value += 1;
  changed[3].tags = {{"t", "nostr"}};
  changed[4].content += ' ';
  for (const Event& other : changed) {
    EXPECT_FALSE(id_is_right(other));
    EXPECT_FALSE(to_json_if_id_is_right(other));
  }
}

TEST(Serialize, TheWireFormHasNoWhiteSpace) {
  const Event event = make(7, 1, {{"t", "a"}, {"-"}}, "hi");
  EXPECT_EQ(to_json(event), R"({"id":")" + std::string(64, '0') + R"(","pubkey":")" + kAuthor +
                                R"(","created_at":7,"kind":1,"tags":[["t","a"],["-"]],)" +
                                R"("content":"hi","sig":")" + std::string(128, '0') + R"("})");
}

TEST(Serialize, TheWireFormEscapesEveryControlCharacter) {  // R2
  std::string controls;
  for (char c = 0; c < 0x20; ++c) controls += c;
  std::string out;
  append_json_string(out, controls + "\"\\/\x7f");
  EXPECT_EQ(out,
            "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r"
            "\\u000e\\u000f\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019"
            "\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f\\\"\\\\/\x7f\"");
}

TEST(Serialize, FindsEscapesAtEveryDistanceFromTheStart) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string head(before, '\x80'), tail(after, '!');
      std::string out;
      append_json_string(out, head + "\n" + tail + "\"");
      EXPECT_EQ(out, "\"" + head + "\\n" + tail + "\\\"\"");
    }
  }
}

TEST(Serialize, AppendsBehindWhatIsThere) {
  std::string out = "x";
  append_json(out, Event());
  EXPECT_EQ(out, "x" + to_json(Event()));
}

}  // namespace serialize_test
}  // namespace graspd::nostr
