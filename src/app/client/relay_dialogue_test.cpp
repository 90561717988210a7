#include "app/client/relay_dialogue.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"

namespace graspd::app {
namespace relay_dialogue_test {

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
const Frames kPublished = {says::event(nostr::to_json(kEvent))};
const Frames kAnswered = {says::auth(nostr::to_json(kAnswer))};
const Frames kAsked = {says::req("graspd", "{}")};

class RelayDialogue : public ::testing::Test {
 protected:
  AnswerChallenge answer = [this](const std::string& text) -> std::optional<nostr::Event> {
    challenges.push_back(text);
    return kAnswer;
  };
  Notice notice = [this](const std::string& text) { notices.push_back(text); };
  ReadDialogue reading(bool follow = false) {
    return ReadDialogue(
        {"{}", follow, [this](const nostr::Event& event) { found.push_back(event.id); }}, answer,
        notice);
  }

  std::vector<std::string> challenges, notices;
  std::vector<nostr::EventId> found;
};

TEST_F(RelayDialogue, PublishesAndHearsTheVerdict) {
  for (const bool accepted : {true, false}) {
    PublishDialogue talk(kEvent, answer, notice);
    EXPECT_EQ(talk.begin(), kPublished);
    EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, "about another"}), Frames{});
    EXPECT_FALSE(talk.finished());
    EXPECT_EQ(talk.hear(said::Ok{kEvent.id, accepted, "blocked: perhaps"}), Frames{});
    ASSERT_TRUE(talk.finished());
    EXPECT_EQ(talk.verdict().accepted, accepted);
    EXPECT_EQ(talk.verdict().text, "blocked: perhaps");
  }
}

TEST_F(RelayDialogue, TellsWhoItIsOnlyWhenItHasTo) {  // R1
  PublishDialogue talk(kEvent, answer, notice);
  EXPECT_EQ(talk.hear(said::Challenge{"c1"}), Frames{});
  EXPECT_EQ(talk.hear(said::Challenge{"c2"}), Frames{});
  EXPECT_TRUE(challenges.empty());
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: who are you?"}), kAnswered);
  EXPECT_EQ(challenges, std::vector<std::string>{"c2"});
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kPublished);
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, true, ""}), Frames{});
  EXPECT_TRUE(talk.verdict().accepted);
}

TEST_F(RelayDialogue, WaitsForAChallengeThatComesLate) {  // R1
  PublishDialogue talk(kEvent, answer, notice);
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: first"}), Frames{});
  EXPECT_EQ(talk.hear(said::Challenge{"late"}), kAnswered);
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kPublished);
}

TEST_F(RelayDialogue, AuthenticatesOnce) {  // R1
  PublishDialogue talk(kEvent, answer, notice);
  talk.hear(said::Challenge{"c"});
  talk.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  talk.hear(said::Ok{kAnswer.id, true, ""});
  EXPECT_EQ(talk.hear(said::Ok{kEvent.id, false, "auth-required: again"}), Frames{});
  ASSERT_TRUE(talk.finished());
  EXPECT_EQ(talk.verdict().text, "auth-required: again");
}

TEST_F(RelayDialogue, EndsWhenItsAnswerIsRefusedOrThereIsNoKey) {  // R1
  PublishDialogue refused(kEvent, answer, notice);
  refused.hear(said::Challenge{"c"});
  refused.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  refused.hear(said::Ok{kAnswer.id, false, "restricted: not you"});
  EXPECT_EQ(refused.verdict().text, "restricted: not you");

  PublishDialogue keyless(kEvent, nullptr, notice);
  keyless.hear(said::Challenge{"c"});
  keyless.hear(said::Ok{kEvent.id, false, "auth-required: first"});
  EXPECT_EQ(keyless.verdict().text, "auth-required: first");
}

TEST_F(RelayDialogue, ReadsUntilTheEndOfWhatIsStored) {
  ReadDialogue talk = reading();
  EXPECT_EQ(talk.begin(), kAsked);
  talk.hear(said::Matching{"graspd", kEvent});
  talk.hear(said::Matching{"another", kAnswer});
  talk.hear(said::EndOfStored{"another"});
  EXPECT_FALSE(talk.finished());
  EXPECT_EQ(talk.hear(said::EndOfStored{"graspd"}), Frames{says::close("graspd")});
  EXPECT_TRUE(talk.finished() && talk.verdict().accepted);
  EXPECT_EQ(found, std::vector{kEvent.id});
}

TEST_F(RelayDialogue, GoesOnWhenItFollows) {
  ReadDialogue talk = reading(true);
  talk.hear(said::EndOfStored{"graspd"});
  talk.hear(said::Matching{"graspd", kEvent});
  EXPECT_FALSE(talk.finished());
  EXPECT_EQ(found.size(), 1U);
}

TEST_F(RelayDialogue, AsksAgainAfterItHasAuthenticated) {  // R1
  ReadDialogue talk = reading();
  talk.hear(said::Challenge{"c"});
  EXPECT_EQ(talk.hear(said::Closed{"graspd", "auth-required: who?"}), kAnswered);
  EXPECT_EQ(talk.hear(said::Ok{kAnswer.id, true, ""}), kAsked);
  talk.hear(said::Closed{"graspd", "error: tired"});
  EXPECT_FALSE(talk.verdict().accepted);
  EXPECT_EQ(talk.verdict().text, "error: tired");
}

TEST_F(RelayDialogue, PassesNoticesOn) {  // R2
  ReadDialogue talk = reading();
  talk.hear(said::Notice{"maintenance at noon"});
  PublishDialogue(kEvent, answer, notice).hear(said::Notice{"hello"});
  EXPECT_EQ(notices, (std::vector<std::string>{"maintenance at noon", "hello"}));
}

}  // namespace relay_dialogue_test
}  // namespace graspd::app
