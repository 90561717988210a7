// The gate as a client meets it: at the door of a session.
#include "relay/gate.h"

#include <gtest/gtest.h>

#include "nostr/signature.h"
#include "relay/session.h"

namespace graspd::relay {
namespace gate_test {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

const nostr::RelayUrl kSelf = *nostr::RelayUrl::parse("wss://relay.example/base");
constexpr core::UnixSeconds kToday = 1'700'000'000;

nostr::Keypair keypair(std::uint8_t n) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = n;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

struct Proof {
  std::uint8_t who = 1;
  std::string relay = kSelf.text();
  std::string challenge = "challenge";
  core::UnixSeconds created_at = kToday;
  std::uint16_t kind = 22242;

  nostr::Event event() const {
    nostr::Event event{.created_at = created_at,
                       .kind = {kind},
                       .tags = {{"relay", relay}, {"challenge", challenge}}};
    keypair(who).sign(event, {});
    return event;
  }
};

std::string ok(const nostr::Event& event, bool accepted, const std::string& text) {
  return "[\"OK\",\"" + event.id.hex() + "\"," + (accepted ? "true" : "false") + ",\"" + text +
         "\"]";
}

// A session of a private service with one member, and what it does.
struct Talk {
  Talk()
      : session({}, kSelf, "challenge", now(), std::nullopt,
                [this](const auto& key) { return members.contains(key); }) {}

  core::Now now() const { return {core::Instant(elapsed), kToday + elapsed / 1s}; }
  Texts hear(Input input) {
    Texts texts;
    for (const Action& action : session.step(now(), std::move(input))) {
      if (const auto* send = std::get_if<Send>(&action)) texts.push_back(send->text);
      if (const auto* one = std::get_if<End>(&action)) end = *one;
      is_open |= std::holds_alternative<Opened>(action);
      reads += std::holds_alternative<Read>(action);
      submits += std::holds_alternative<Submit>(action);
    }
    return texts;
  }
  Texts say(nostr::ClientMessage message) { return hear(Said{std::move(message), 100}); }
  Texts prove(const Proof& proof) { return say(nostr::client::Authenticate{proof.event()}); }

  Keys members{keypair(1).public_key()};
  core::Duration elapsed{0};
  std::optional<End> end;
  bool is_open = false;
  int reads = 0, submits = 0;
  Session session;
};

TEST(Gate, ChallengesAtOnceAndAnswersEverythingWithAuthRequired) {  // R1
  Talk talk;
  EXPECT_EQ(talk.hear(Entered{}), Texts{R"(["AUTH","challenge"])"});
  const nostr::Event event = Proof{.kind = 1}.event();
  EXPECT_EQ(talk.say(nostr::client::Publish{event}),
            Texts{ok(event, false, "auth-required: authenticate before publishing")});
  const std::string unread = R"(["CLOSED","s","auth-required: authenticate before reading"])";
  EXPECT_EQ(talk.say(nostr::client::Request{"s", {{}}}), Texts{unread});
  EXPECT_EQ(talk.say(nostr::client::Count{"s", {{}}, {}}), Texts{unread});
  EXPECT_EQ(talk.say(nostr::client::NegOpen{"s", {}, ""}),
            Texts{R"(["NEG-ERR","s","auth-required: authenticate before syncing"])"});
  const Texts notice{R"(["NOTICE","auth-required: authenticate before sending relay messages"])"};
  EXPECT_EQ(talk.say(nostr::client::Close{"s"}), notice);
  EXPECT_EQ(talk.say(nostr::client::NegMessage{"s", ""}), notice);
  EXPECT_EQ(talk.hear(SaidNonsense{}), notice);
  EXPECT_EQ(talk.hear(SaidBinary{}), Texts());
  EXPECT_EQ(talk.reads + talk.submits, 0);
  EXPECT_FALSE(talk.end || talk.is_open);
}

TEST(Gate, LetsAMemberIn) {  // R3
  Talk talk;
  const Proof proof;
  EXPECT_EQ(talk.prove(proof), Texts{ok(proof.event(), true, "")});
  EXPECT_TRUE(talk.is_open);
  talk.say(nostr::client::Request{"s", {{}}});
  EXPECT_EQ(talk.reads, 1);
  talk.elapsed = 1h;
  talk.hear(Tick{});
  EXPECT_FALSE(talk.end);
}

TEST(Gate, SendsStrangersAway) {  // R3
  Talk talk;
  const Proof proof{.who = 2};
  EXPECT_EQ(talk.prove(proof),
            Texts{ok(proof.event(), false, "restricted: authenticated pubkey is not whitelisted")});
  ASSERT_TRUE(talk.end);
  EXPECT_EQ(talk.end->unsent, End::Unsent::Sent);
  EXPECT_EQ(talk.prove({}), Texts());
  EXPECT_FALSE(talk.is_open);
}

TEST(Gate, EndsAtTheThirdWrongAnswer) {  // R3
  Talk talk;
  const Proof wrong{.challenge = "another"};
  const Texts told{ok(wrong.event(), false, "auth-required: invalid NIP-42 authentication")};
  EXPECT_EQ(talk.prove(wrong), told);
  EXPECT_EQ(talk.prove(wrong), told);
  EXPECT_FALSE(talk.end);
  EXPECT_EQ(talk.prove(wrong), told);
  EXPECT_TRUE(talk.end);
}

TEST(Gate, ComparesClockAndAddressGenerously) {  // R2
  for (const char* relay : {"wss://relay.example/base", "ws://relay.example/base/",
                            "wss://RELAY.example:443/base", "ws://relay.example:80/base"}) {
    Talk talk;
    talk.prove({.relay = relay});
    EXPECT_TRUE(talk.is_open) << relay;
  }
  for (const char* relay : {"wss://relay.example", "wss://relay.example:444/base", "relay.example",
                            "wss://other.example/base"}) {
    Talk talk;
    talk.prove({.relay = relay});
    EXPECT_FALSE(talk.is_open) << relay;
  }
  for (const int off : {-121, -120, -50, 70, 120, 121}) {
    Talk talk;
    talk.prove({.created_at = kToday + off});
    EXPECT_EQ(talk.is_open, std::abs(off) <= 120) << off;
  }
}

TEST(Gate, EndsAfterTwentyMessages) {  // R4
  Talk talk;
  for (int i = 0; i < 20; ++i) talk.say(nostr::client::Request{"s", {{}}});
  EXPECT_FALSE(talk.end);
  EXPECT_EQ(talk.prove({}), Texts());
  EXPECT_TRUE(talk.end);
}

TEST(Gate, EndsAfterThirtySeconds) {  // R4
  Talk talk;
  talk.elapsed = 29s;
  talk.hear(Tick{});
  EXPECT_FALSE(talk.end);
  talk.elapsed = 30s;
  talk.hear(Tick{});
  EXPECT_TRUE(talk.end);
}

TEST(Gate, BelongsToOneKey) {  // R5
  Talk talk;
  talk.members.insert(keypair(2).public_key());
  talk.prove({});
  const Proof other{.who = 2};
  EXPECT_EQ(talk.prove(other),
            Texts{ok(other.event(), false, "restricted: this connection belongs to another key")});
  EXPECT_EQ(talk.prove({}), Texts{ok(Proof().event(), true, "")});
}

TEST(Gate, EndsTheConnectionOfWhoIsNoMemberAnyMore) {  // R5
  Talk talk;
  talk.prove({});
  talk.hear(MembersChanged{});
  EXPECT_FALSE(talk.end);
  talk.members.clear();
  talk.hear(MembersChanged{});
  ASSERT_TRUE(talk.end);
  EXPECT_EQ(talk.end->unsent, End::Unsent::Dropped);
}

}  // namespace gate_test
}  // namespace graspd::relay
