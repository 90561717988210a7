#include <gtest/gtest.h>

#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace json_message_test {

using Reply = BadMessage::Reply;

template <class Message>
Message accepted(std::string_view text) {
  JsonReader reader;
  auto result = reader.client_message(text);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().reason);
  const auto* message = result ? std::get_if<Message>(&*result) : nullptr;
  EXPECT_NE(message, nullptr) << text;
  return message ? *message : Message();
}

BadMessage refused(std::string_view text) {
  JsonReader reader;
  auto result = reader.client_message(text);
  EXPECT_FALSE(result) << text;
  return result ? BadMessage() : result.error();
}

std::string event_json() {
  Event event;
  event.kind = Kind{1};
  event.content = "hello";
  event.tags = {{"t", "x"}};
  return to_json(event);
}

TEST(ClientMessage, EventPublishes) {
  EXPECT_EQ(to_json(accepted<client::Publish>("[\"EVENT\"," + event_json() + "]").event),
            event_json());
}

TEST(ClientMessage, AuthAuthenticates) {
  EXPECT_EQ(to_json(accepted<client::Authenticate>("[\"AUTH\"," + event_json() + "]").event),
            event_json());
}

TEST(ClientMessage, ReqTakesSeveralFilters) {
  const auto request = accepted<client::Request>(R"(["REQ","a\"b",{"kinds":[1]},{"limit":2}])");
  EXPECT_EQ(request.subscription, "a\"b");
  ASSERT_EQ(request.filters.size(), 2U);
  EXPECT_EQ(request.filters[0].kinds, std::vector{Kind{1}});
  EXPECT_EQ(request.filters[1].limit, 2U);
}

TEST(ClientMessage, TheShortOnes) {
  EXPECT_EQ(accepted<client::Close>(R"(["CLOSE","s"])").subscription, "s");
  EXPECT_EQ(accepted<client::NegClose>(R"(["NEG-CLOSE","s"])").subscription, "s");
  EXPECT_EQ(accepted<client::Count>(R"( [ "COUNT" , "s" , {} ] )").filters.size(), 1U);
}

TEST(ClientMessage, NegOpenCarriesAFilterAndBytes) {
  const auto open = accepted<client::NegOpen>(R"(["NEG-OPEN","s",{"kinds":[1]},"6100ff"])");
  EXPECT_EQ(open.subscription, "s");
  EXPECT_EQ(open.filter.kinds, std::vector{Kind{1}});
  EXPECT_EQ(open.message, std::string("\x61\x00\xff", 3));
  EXPECT_EQ(accepted<client::NegMessage>(R"(["NEG-MSG","s","61"])").message, "a");
}

// NIP-45, "offset computation".
TEST(ClientMessage, CountFindsItsOffsetInTheFirstTagItem) {
  const auto offset = [](const std::string& filters) {
    return accepted<client::Count>("[\"COUNT\",\"s\"," + filters + "]").hll_offset;
  };
  const std::string hex = std::string(32, '0') + "c" + std::string(31, '0');
  EXPECT_EQ(offset("{\"#e\":[\"" + hex + "\"]}"), 8 + 0xc);
  EXPECT_EQ(offset("{\"#a\":[\"30617:" + hex + ":repo\"]}"), 8 + 0xc);
  // sha256("nostr") has a '4' at position 32, sha256("git") a '6'.
  EXPECT_EQ(offset(R"({"#t":["nostr"]})"), 8 + 4);
  EXPECT_EQ(offset(R"({"#t":["nostr","git"],"#a":["x"]})"), 8 + 4) << "as written, not sorted";
  EXPECT_EQ(offset(R"({"kinds":[1],"#t":["git","nostr"]})"), 8 + 6);
}

TEST(ClientMessage, CountHasNoOffsetWithoutATagOrWithTwoFilters) {
  EXPECT_EQ(accepted<client::Count>(R"(["COUNT","s",{"kinds":[1]}])").hll_offset, std::nullopt);
  EXPECT_EQ(accepted<client::Count>(R"(["COUNT","s",{"#t":[]}])").hll_offset, std::nullopt);
  EXPECT_EQ(accepted<client::Count>(R"(["COUNT","s",{"#t":[],"#e":["x"]}])").hll_offset,
            std::nullopt);
  EXPECT_EQ(accepted<client::Count>(R"(["COUNT","s",{"#t":["a"]},{"#t":["a"]}])").hll_offset,
            std::nullopt);
}

TEST(BadMessage, AboutAnEventIsAnsweredByOk) {
  const std::string id(64, 'A');
  for (const std::string& text : {R"(["EVENT",{"id":")" + id + R"(","kind":-1}])",
                                  R"(["EVENT",{"kind":-1,"tags":[[[]]],"id":")" + id + R"("}])",
                                  R"(["AUTH",{"kind":-1,"id":")" + id + R"("}])",
                                  R"(["EVENT",{"kind":-1,"id":")" + id + R"("},1])"}) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::Ok) << text;
    EXPECT_EQ(bad.about, id) << "as written";
    EXPECT_TRUE(bad.reason.starts_with("invalid: ")) << bad.reason;
  }
}

TEST(BadMessage, AboutAnEventWithoutReadableIdIsAnsweredByNotice) {
  for (const auto* text : {R"(["EVENT"])", R"(["EVENT",{}])", R"(["EVENT",{"id":"abc"}])",
                           R"(["EVENT",{"id":7}])", R"(["EVENT","x"])", R"(["AUTH","x"])"}) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::Notice) << text;
    EXPECT_EQ(bad.about, "") << text;
  }
}

TEST(BadMessage, AboutARequestIsAnsweredByClosed) {
  for (const auto* text :
       {R"(["REQ","s"])", R"(["REQ","s",{"kinds":"x"}])", R"(["COUNT","s"])", R"(["REQ","s",1])",
        R"(["COUNT","s",{},{"limit":-1}])", R"(["REQ","s",[{}]])", R"(["REQ","s",{}}])"}) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::Closed) << text;
    EXPECT_EQ(bad.about, "s") << text;
  }
  EXPECT_EQ(refused(R"(["REQ","s",{"search":"x"}])").reason,
            "unsupported: filter contains unknown elements: search");
}

std::string repeated(std::string_view item, std::size_t times) {
  std::string list(item);
  for (std::size_t i = 1; i < times; ++i) list.append(",").append(item);
  return list;
}

TEST(ClientMessage, IsNotReadBehindTheFirstFilterTooMany) {  // R5
  JsonReader reader;
  for (const char* verb : {"REQ", "COUNT"}) {
    const std::string text =
        "[\"" + std::string(verb) + "\",\"s\"," + repeated("{}", 100'000) + "]";
    const auto message = reader.client_message(text, 20);
    ASSERT_TRUE(message);
    if (const auto* request = std::get_if<client::Request>(&*message))
      EXPECT_EQ(request->filters.size(), 21U);
    else
      EXPECT_EQ(std::get<client::Count>(*message).filters.size(), 21U);
  }
  const auto whole = reader.client_message("[\"REQ\",\"s\"," + repeated("{}", 20) + "]", 20);
  ASSERT_TRUE(whole);
  EXPECT_EQ(std::get<client::Request>(*whole).filters.size(), 20U);
}

TEST(ClientMessage, TakesAFewTimesItsTextInMemoryAndNotMore) {  // R5
  constexpr std::size_t kMany = 1'000'000;
  for (const std::string& text :
       {"[\"REQ\",\"s\"," + repeated("{}", kMany) + "]",
        "[\"REQ\",\"s\",{\"#t\":[" + repeated("\"\"", kMany) + "]}]",
        "[\"COUNT\",\"s\",{\"#t\":[" + repeated("\"ab\"", kMany) + "]}]"}) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::Closed);
    EXPECT_EQ(bad.reason, "blocked: the filters have too many values");
  }
  const std::string hex = "\"" + std::string(64, 'a') + "\"";
  accepted<client::Request>("[\"REQ\",\"s\",{\"ids\":[" + repeated(hex, 75'000) + "]}]");
  accepted<client::Request>("[\"REQ\",\"s\",{\"kinds\":[" + repeated("1", kMany) + "]}]");
}

TEST(ClientMessage, KeepsNoMemoryForValuesThatWereRepeated) {
  const auto request =
      accepted<client::Request>("[\"REQ\",\"s\",{\"kinds\":[" + repeated("1", 1000) + "],\"#t\":[" +
                                repeated("\"a\"", 1000) + "]}]");
  EXPECT_EQ(request.filters[0].kinds->capacity(), 1U);
  EXPECT_EQ(request.filters[0].tags[0].values.capacity(), 1U);
}

TEST(BadMessage, AboutReconciliationIsAnsweredByNegErr) {
  for (const auto* text :
       {R"(["NEG-OPEN","s"])", R"(["NEG-OPEN","s",{}])", R"(["NEG-OPEN","s",{},16,"61"])",
        R"(["NEG-OPEN","s",{},"61",1])", R"(["NEG-OPEN","s",{},"6"])", R"(["NEG-OPEN","s",{},""])",
        R"(["NEG-OPEN","s",{},"6G"])", R"(["NEG-OPEN","s",{},"6A"])", R"(["NEG-OPEN","s",[],"61"])",
        R"(["NEG-OPEN","s",{"x":1},"61"])", R"(["NEG-MSG","s"])", R"(["NEG-MSG","s",1])"}) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::NegErr) << text;
    EXPECT_EQ(bad.about, "s") << text;
  }
}

const std::vector<std::string> kAnsweredByNotice = {
    "",
    "x",
    "{}",
    "[]",
    "[1]",
    "[null]",
    "[[]]",
    "\"EVENT\"",
    "[\"EVENT\"",
    "[\"NOPE\"]",
    "[\"event\"]",
    R"(["REQ"])",
    R"(["REQ",1,{}])",
    R"(["REQ","",{}])",
    R"(["REQ",null,{}])",
    R"(["REQ","\ud800",{}])",
    R"(["COUNT",{}])",
    R"(["CLOSE"])",
    R"(["CLOSE",1])",
    R"(["CLOSE",""])",
    R"(["CLOSE","s","t"])",
    R"(["CLOSE","s"]])",
    R"(["CLOSE","s"] x)",
    R"(["CLOSE","s",])",
    R"(["CLOSE" "s"])",
    R"(["NEG-OPEN"])",
    R"(["NEG-OPEN","",{},"61"])",
    R"(["NEG-MSG",1,"61"])",
    R"(["NEG-CLOSE"])",
    R"(["NEG-CLOSE","s",1])",
    R"(["REQ",")" + std::string(5000, 's') + R"(",{"NEG-":1}])"};

TEST(BadMessage, AboutNothingInParticularIsAnsweredByNotice) {
  for (const std::string& text : kAnsweredByNotice) {
    const BadMessage bad = refused(text);
    EXPECT_EQ(bad.reply, Reply::Notice) << text;
    EXPECT_EQ(bad.about, "") << text;
    EXPECT_TRUE(bad.reason.starts_with("invalid: ")) << text;
    EXPECT_LT(bad.reason.size(), 100U) << text;
  }
}

// Peers look for these in a NOTICE and then believe more than was said.
TEST(BadMessage, NoticesHoldNoWordThatPeersReactTo) {
  for (const std::string& text : kAnsweredByNotice) {
    const std::string reason = refused(text).reason;
    for (const auto* word : {"negentropy", "NEG-", "envelope", "too many", "slow down", "throttl",
                             "blocked", "restricted", "membership", "rate"}) {
      EXPECT_EQ(reason.find(word), std::string::npos) << reason;
    }
  }
}

TEST(BadMessage, EveryPrefixOfAMessageIsRefused) {
  const std::string text = "[\"EVENT\"," + event_json() + "]";
  JsonReader reader;
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(reader.client_message(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_TRUE(reader.client_message(text)) << "the reader is as good as new";
}

TEST(BadMessage, SurvivesDeepNesting) {
  for (const char open : {'[', '{'}) {
    EXPECT_EQ(refused(std::string(1'000'000, open)).reply, Reply::Notice);
    EXPECT_EQ(refused("[\"REQ\",\"s\"," + std::string(1'000'000, open) + "]").reply, Reply::Closed);
  }
}

}  // namespace json_message_test
}  // namespace graspd::nostr
