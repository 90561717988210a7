#include "nostr/message.h"

#include <gtest/gtest.h>

namespace graspd::nostr {
namespace message_test {

TEST(RelaySays, EventCarriesTheWireFormAsItIs) {
  EXPECT_EQ(relay_says::event("sub", R"({"id":"x"})"), R"(["EVENT","sub",{"id":"x"}])");
}

TEST(RelaySays, EventsCanBeAppendedToOneAnother) {
  std::string out = "before";
  relay_says::append_event(out, "a", "{}");
  relay_says::append_event(out, "b", "{}");
  EXPECT_EQ(out, R"(before["EVENT","a",{}]["EVENT","b",{}])");
}

TEST(RelaySays, SubscriptionIdsAreEscaped) {
  EXPECT_EQ(relay_says::event("a\"\\\n\x01", "{}"), R"(["EVENT","a\"\\\n\u0001",{}])");
  EXPECT_EQ(relay_says::closed("\"", "x"), R"(["CLOSED","\"","x"])");
}

TEST(RelaySays, OkNamesTheEvent) {
  EXPECT_EQ(relay_says::ok(EventId(), true, ""),
            "[\"OK\",\"" + std::string(64, '0') + "\",true,\"\"]");
  EXPECT_EQ(relay_says::ok("ABC", false, "invalid: \"id\""),
            R"(["OK","ABC",false,"invalid: \"id\""])");
}

TEST(RelaySays, EoseMayTellWhetherThatWasAll) {
  EXPECT_EQ(relay_says::eose("s", Completeness::Unknown), R"(["EOSE","s"])");
  EXPECT_EQ(relay_says::eose("s", Completeness::Finished), R"(["EOSE","s",["finish"]])");
  EXPECT_EQ(relay_says::eose("s", Completeness::More), R"(["EOSE","s",["more"]])");
}

TEST(RelaySays, TheShortMessages) {
  EXPECT_EQ(relay_says::closed("s", "error: gone"), R"(["CLOSED","s","error: gone"])");
  EXPECT_EQ(relay_says::notice("hello"), R"(["NOTICE","hello"])");
  EXPECT_EQ(relay_says::auth("challenge"), R"(["AUTH","challenge"])");
}

TEST(RelaySays, CountLeavesAnEmptyHllOut) {
  EXPECT_EQ(relay_says::count("s", 5, ""), R"(["COUNT","s",{"count":5}])");
  EXPECT_EQ(relay_says::count("s", 0, "0a"), R"(["COUNT","s",{"count":0,"hll":"0a"}])");
}

TEST(RelaySays, NegMessagesAreHex) {
  EXPECT_EQ(relay_says::neg_message("s", std::string("\x61\x00\xff", 3)),
            R"(["NEG-MSG","s","6100ff"])");
}

TEST(RelaySays, NegErrorsMayNameACap) {
  EXPECT_EQ(relay_says::neg_error("s", "closed: idle", std::nullopt),
            R"(["NEG-ERR","s","closed: idle"])");
  EXPECT_EQ(relay_says::neg_error("s", "blocked: too big", 1'000),
            R"(["NEG-ERR","s","blocked: too big",1000])");
}

}  // namespace message_test
}  // namespace graspd::nostr
