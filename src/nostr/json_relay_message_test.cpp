#include <gtest/gtest.h>

#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace json_relay_message_test {

RelayMessage read(std::string_view text) {
  auto message = JsonReader().relay_message(text);
  EXPECT_TRUE(message) << text << ": " << message.error();
  return message ? *message : RelayMessage(relay_said::Unknown{});
}
template <class T>
T read_as(std::string_view text) {
  const RelayMessage message = read(text);
  EXPECT_TRUE(std::holds_alternative<T>(message)) << text;
  return std::holds_alternative<T>(message) ? std::get<T>(message) : T{};
}

TEST(RelayMessage, ComesBackAsItWasSaid) {
  Event event;
  event.kind = {1};
  event.tags = {{"t", "a \"quoted\" word"}};
  event.content = "line\nbreak";
  const auto matching = read_as<relay_said::Matching>(relay_says::event("sub\"1", to_json(event)));
  EXPECT_EQ(matching.subscription, "sub\"1");
  EXPECT_EQ(matching.event, event);

  const auto ok = read_as<relay_said::Ok>(relay_says::ok(event.id, true, "duplicate: yes"));
  EXPECT_EQ(ok.id, event.id);
  EXPECT_TRUE(ok.accepted);
  EXPECT_EQ(ok.text, "duplicate: yes");
  EXPECT_FALSE(read_as<relay_said::Ok>(relay_says::ok(event.id, false, "")).accepted);

  for (const auto completeness :
       {Completeness::Unknown, Completeness::Finished, Completeness::More}) {
    EXPECT_EQ(read_as<relay_said::EndOfStored>(relay_says::eose("s", completeness)).completeness,
              completeness);
  }
  EXPECT_EQ(read_as<relay_said::Closed>(relay_says::closed("s", "error: no")).text, "error: no");
  EXPECT_EQ(read_as<relay_said::Notice>(relay_says::notice("hear")).text, "hear");
  EXPECT_EQ(read_as<relay_said::Challenge>(relay_says::auth("c")).text, "c");
  EXPECT_EQ(read_as<relay_said::NegMessage>(relay_says::neg_message("s", "\x61\x01")).message,
            "\x61\x01");
  EXPECT_EQ(read_as<relay_said::NegError>(relay_says::neg_error("s", "blocked: big", 7)).text,
            "blocked: big");
}

TEST(RelayMessage, PassesOverWhatOtherRelaysAdd) {
  const std::string id(64, 'a');
  EXPECT_EQ(read_as<relay_said::Ok>("[\"OK\",\"" + id + "\",true]").text, "");
  EXPECT_EQ(read_as<relay_said::Ok>("[\"OK\",\"" + id + "\",true,\"x\",{\"a\":[1]}]").text, "x");
  EXPECT_EQ(read_as<relay_said::EndOfStored>(R"(["EOSE","s",17])").subscription, "s");
  EXPECT_EQ(read_as<relay_said::Unknown>(R"(["COUNT","s",{"count":1}])").type, "COUNT");
}

TEST(RelayMessage, IsRefusedWhenItIsNone) {
  JsonReader reader;
  for (const std::string_view text :
       {"", "{}", "[]", "[1]", "[\"OK\"]", "[\"OK\",\"abc\",true,\"\"]", "[\"EOSE\"]",
        "[\"EVENT\",\"s\"]", "[\"EVENT\",\"s\",{}]", "[\"NOTICE\",1]", "[\"NOTICE\",\"a\"",
        "[\"NOTICE\",\"a\"]x", "[\"NOTICE\",\"a\",nonsense]", "[\"NEG-MSG\",\"s\",\"0g\"]",
        "[\"UNHEARD\",nonsense]", "[\"EOSE\",\"s\",[1]]"}) {
    EXPECT_FALSE(reader.relay_message(text)) << text;
  }
}

TEST(ClientMessage, IsReadByARelayAsItWasMeant) {
  JsonReader reader;
  const auto request = reader.client_message(client_says::req("s\"1", R"({"kinds":[1]})"));
  ASSERT_TRUE(request);
  EXPECT_EQ(std::get<client::Request>(*request).subscription, "s\"1");
  EXPECT_TRUE(
      std::holds_alternative<client::Close>(*reader.client_message(client_says::close("s"))));
  Event event;
  EXPECT_TRUE(std::holds_alternative<client::Publish>(
      *reader.client_message(client_says::event(to_json(event)))));
  EXPECT_TRUE(std::holds_alternative<client::Authenticate>(
      *reader.client_message(client_says::auth(to_json(event)))));
}

TEST(Draft, NeedsNoMoreThanAKind) {
  JsonReader reader;
  const auto draft = reader.draft(R"({"kind":1621})");
  ASSERT_TRUE(draft);
  EXPECT_EQ(*draft, (Draft{.kind = {1621}}));
  EXPECT_FALSE(reader.draft("{}"));
  EXPECT_FALSE(reader.draft("[]"));
}

TEST(Draft, KeepsWhatIsWritten) {
  const std::string key(64, 'b');
  const auto draft = JsonReader().draft(
      R"({"created_at":7,"kind":1,"tags":[["t","x"]],"content":"hi","other":[1],"pubkey":")" + key +
      "\"}");
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->created_at, 7);
  EXPECT_EQ(draft->pubkey, PublicKey::from_hex(key));
  EXPECT_EQ(draft->tags, (Tags{{"t", "x"}}));
  EXPECT_EQ(draft->content, "hi");
  EXPECT_FALSE(JsonReader().draft(R"({"kind":1,"content":7})"));
  EXPECT_FALSE(JsonReader().draft(R"({"kind":1,"kind":1})"));
}

}  // namespace json_relay_message_test
}  // namespace graspd::nostr
