#include "app/client/relay_dialogue.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"

namespace graspd::app {
namespace relay_talk_test {

namespace said = nostr::relay_said;
namespace says = nostr::client_says;

nostr::Event event_with_id(std::uint8_t number) {
  nostr::EventId::Bytes id{};
  id.front() = number;
  nostr::Event event;
  event.id = nostr::EventId(id);
  return event;
}
const nostr::Event kEvent = event_with_id(1);
const nostr::Event kAnswer = event_with_id(2);
const Words kPublished = {says::event(nostr::to_json(kEvent))};
const Words kAnswered = {says::auth(nostr::to_json(kAnswer))};
const Words kAsked = {says::req("graspd", "{}")};

class RelayTalk : public ::testing::Test {
 protected:
  AnswerChallenge answer = [this](const std::string& text) -> std::optional<nostr::Event> {
    challenges.push_back(text);
    return kAnswer;
  };
  Notice notice = [this](const std::string& text) { notices.push_back(text); };
  ReadTalk reading(bool follow = false) {
    return ReadTalk(
        {"{}", follow, [this](const nostr::Event& event) { found.push_back(event.id); }}, answer,
        notice);
  }

  std::vector<std::string> challenges, notices;
  std::vector<nostr::EventId> found;
};

TEST_F(RelayTalk, PublishesAndHearsTheVerdict) {
  for (const bool accepted : {true, false}) {
    PublishTalk talk(kEvent, answer, notice);
    EXPECT_EQ(talk.begin(), kPublished);
    EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, "about another"}), Words{});
    EXPECT_FALSE(talk.finished());
    EXPECT_EQ(talk.hear(said::Ok{kEvent.id, accepted, "blocked: perhaps"}), Words{});
    ASSERT_TRUE(talk.finished());
    EXPECT_EQ(talk.verdict().accepted, accepted);
    EXPECT_EQ(talk.verdict().text, "blocked: perhaps");
  }
}

TEST_F(RelayTalk, TellsWhoItIsOnlyWhenItHasTo) {  // R1
  PublishTalk talk(kEvent, answer, notice);
  EXPECT_EQ(talk.hear(said::Challenge{"c1"}), Words{});
  EXPECT_EQ(talk.hear(said::Challenge{"c2"}), Words{});
  EXPECT_TRUE(challenges.empty());
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: who are you?"}), kAnswered);
  EXPECT_EQ(challenges, std::vector<std::string>{"c2"});
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kPublished);
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, true, ""}), Words{});
  EXPECT_TRUE(talk.verdict().accepted);
}

TEST_F(RelayTalk, WaitsForAChallengeThatComesLate) {  // R1
  PublishTalk talk(kEvent, answer, notice);
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: first"}), Words{});
  EXPECT_EQ(talk.hear(said::Challenge{"late"}), kAnswered);
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kPublished);
}

TEST_F(RelayTalk, AuthenticatesOnce) {  // R1
  PublishTalk talk(kEvent, answer, notice);
  talk.hear(said::Challenge{"c"});
  talk.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  talk.hear(said::Ok{kAnswer.id, true, ""});
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: again"}), Words{});
  ASSERT_TRUE(talk.finished());
  EXPECT_EQ(talk.verdict().text, "auth-required: again");
}

TEST_F(RelayTalk, EndsWhenItsAnswerIsRefusedOrThereIsNoKey) {  // R1
  PublishTalk refused(kEvent, answer, notice);
  refused.hear(said::Challenge{"c"});
  refused.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  refused.hear(said::Ok{kAnswer.id, false, "restricted: not you"});
  EXPECT_EQ(refused.verdict().text, "restricted: not you");

  PublishTalk keyless(kEvent, nullptr, notice);
  keyless.hear(said::Challenge{"c"});
  keyless.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  EXPECT_EQ(keyless.verdict().text, "auth-required: first");
}

TEST_F(RelayTalk, ReadsUntilTheEndOfWhatIsStored) {
  ReadTalk talk = reading();
  EXPECT_EQ(talk.begin(), kAsked);
  talk.hear(said::Matching{"graspd", kEvent});
  talk.hear(said::Matching{"another", kAnswer});
  talk.hear(said::EndOfStored{"another"});
  EXPECT_FALSE(talk.finished());
  EXPECT_EQ(talk.hear(said::EndOfStored{"graspd"}), Words{says::close("graspd")});
  EXPECT_TRUE(talk.finished() && talk.verdict().accepted);
  EXPECT_EQ(found, std::vector{kEvent.id});
}

TEST_F(RelayTalk, GoesOnWhenItFollows) {
  ReadTalk talk = reading(true);
  talk.hear(said::EndOfStored{"graspd"});
  talk.hear(said::Matching{"graspd", kEvent});
  EXPECT_FALSE(talk.finished());
  EXPECT_EQ(found.size(), 1U);
}

TEST_F(RelayTalk, AsksAgainAfterItHasAuthenticated) {  // R1
  ReadTalk talk = reading();
  talk.hear(said::Challenge{"c"});
  EXPECT_EQ(talk.hear(said::Closed{"graspd", "auth-required: who?"}), kAnswered);
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kAsked);
  talk.hear(said::Closed{"graspd", "error: tired"});
  EXPECT_FALSE(talk.verdict().accepted);
  EXPECT_EQ(talk.verdict().text, "error: tired");
}

TEST_F(RelayTalk, PassesNoticesOn) {  // R2
  ReadTalk talk = reading();
  talk.hear(said::Notice{"maintenance at noon"});
  PublishTalk(kEvent, answer, notice).hear(said::Notice{"hello"});
  EXPECT_EQ(notices, (std::vector<std::string>{"maintenance at noon", "hello"}));
}

}  // namespace relay_talk_test
}  // namespace graspd::app
