// Rule numbers are those of relay/session.h (S), relay/requests.h (R), relay/reconciliations.h (N).
#include "relay/session.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::relay {
namespace session_test {

using namespace std::chrono_literals;

const nostr::RelayUrl kSelf = *nostr::RelayUrl::parse("wss://relay.example/");
constexpr core::UnixSeconds kToday = 1'700'000'000;

nostr::Keypair keypair(std::uint8_t n) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = n;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

nostr::Event signed_event(std::uint8_t who, std::uint16_t kind, nostr::Tags tags = {},
                          std::string content = "") {
  nostr::Event event{
      .created_at = kToday, .kind = {kind}, .tags = std::move(tags), .content = std::move(content)};
  keypair(who).sign(event, {});
  return event;
}

// A session and the client at its other end.
struct Talk {
  explicit Talk(Limits with = {}) : session(with, kSelf, "challenge", now()) {}

  core::Now now() const { return {core::Instant(elapsed), kToday + elapsed / 1s}; }

  Actions say(nostr::ClientMessage message, std::size_t bytes = 100) {
    return hear(Said{std::move(message), bytes});
  }
  Actions hear(Input input) { return session.step(now(), std::move(input)); }

  Actions req(std::string name, std::vector<nostr::Filter> filters = {{}},
              std::size_t bytes = 100) {
    return say(nostr::client::Request{std::move(name), std::move(filters)}, bytes);
  }

  core::Duration elapsed{0};
  Session session;
};

template <class T>
std::vector<T> only(const Actions& actions) {
  std::vector<T> found;
  for (const auto& action : actions)
    if (auto* match = std::get_if<T>(&action)) found.push_back(*match);
  return found;
}

std::vector<std::string> sent(const Actions& actions) {
  std::vector<std::string> texts;
  for (const auto& send : only<Send>(actions)) texts.push_back(send.text);
  return texts;
}

using Texts = std::vector<std::string>;

nostr::WireEventPtr wire(std::string json) {
  return std::make_shared<nostr::WireEvent>(nostr::WireEvent{{}, std::move(json)});
}

TEST(Session, SubmitsAnEventAndPassesTheDecisionOn) {  // S1
  Talk talk;
  auto event = signed_event(1, 1);
  auto actions = talk.say(nostr::client::Publish{event});
  ASSERT_EQ(only<Submit>(actions).size(), 1u);
  EXPECT_TRUE(sent(actions).empty());
  EXPECT_EQ(sent(talk.hear(Decided{event.id, true, ""})),
            Texts{"[\"OK\",\"" + event.id.hex() + "\",true,\"\"]"});
}

TEST(Session, DoesNotSlowTheOwnerDown) {  // S3
  const nostr::Event proof =
      signed_event(1, 22242, {{"relay", kSelf.text()}, {"challenge", "challenge"}});
  for (const bool is_owner : {true, false}) {
    Session session({.events_per_minute = 1, .queries_per_minute = 1}, kSelf, "challenge",
                    Talk().now(), keypair(is_owner ? 1 : 2).public_key());
    const auto say = [&](nostr::ClientMessage message) {
      return session.step(Talk().now(), Said{std::move(message), 100, true});
    };
    say(nostr::client::Authenticate{proof});
    std::size_t submitted = 0, read = 0;
    for (int i = 0; i < 5; ++i) {
      submitted += only<Submit>(say(nostr::client::Publish{signed_event(3, 1)})).size();
      read += only<Read>(say(nostr::client::Request{"r", {{}}})).size();
    }
    EXPECT_EQ(submitted, is_owner ? 5U : 0U);
    EXPECT_EQ(read, is_owner ? 5U : 1U);
  }
}

TEST(Session, RefusesCredentialsAsEvents) {
  Talk talk;
  auto event = signed_event(1, 22242);
  EXPECT_EQ(sent(talk.say(nostr::client::Publish{event})),
            Texts{"[\"OK\",\"" + event.id.hex() +
                  "\",false,\"blocked: kind 22242 is not accepted by this relay\"]"});
}

TEST(Session, SlowsDownWhoSendsTooFastAndLetsThemGoOnLater) {  // S3
  Talk talk({.events_per_minute = 2});
  auto publish = [&] { return only<Submit>(talk.say(nostr::client::Publish{signed_event(1, 1)})); };
  EXPECT_EQ(publish().size() + publish().size(), 2u);
  EXPECT_TRUE(publish().empty());
  talk.elapsed += 31s;
  EXPECT_EQ(publish().size(), 1u);
}

TEST(Session, TakesAProtectedEventOnlyFromItsAuthenticatedAuthor) {  // S2
  Talk talk;
  auto mine = signed_event(1, 1, {{"-"}}), theirs = signed_event(2, 1, {{"-"}});
  auto refused = sent(talk.say(nostr::client::Publish{mine}));
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0], R"(["AUTH","challenge"])");
  EXPECT_NE(refused[1].find("auth-required: "), std::string::npos);

  auto auth =
      signed_event(1, 22242, {{"relay", "wss://relay.example"}, {"challenge", "challenge"}});
  EXPECT_EQ(sent(talk.say(nostr::client::Authenticate{auth})),
            Texts{"[\"OK\",\"" + auth.id.hex() + "\",true,\"\"]"});
  EXPECT_EQ(only<Submit>(talk.say(nostr::client::Publish{mine})).size(), 1u);
  auto stranger = sent(talk.say(nostr::client::Publish{theirs}));
  ASSERT_EQ(stranger.size(), 1u);
  EXPECT_NE(stranger[0].find("restricted: "), std::string::npos);
}

TEST(Session, RefusesAnAnswerToAnotherChallengeOrForAnotherRelay) {
  for (nostr::Tags tags :
       {nostr::Tags{{"relay", "wss://relay.example"}, {"challenge", "other"}},
        nostr::Tags{{"relay", "wss://evil.example"}, {"challenge", "challenge"}}}) {
    Talk talk;
    auto answers = sent(talk.say(nostr::client::Authenticate{signed_event(1, 22242, tags)}));
    EXPECT_NE(answers.back().find("false,\"auth-required: "), std::string::npos);
  }
}

TEST(Requests, AreReadThenEndedThenLive) {
  Talk talk;
  auto opened = talk.req("sub");
  ASSERT_EQ(only<Listen>(opened).size(), 1u);
  ASSERT_EQ(only<Read>(opened).size(), 1u);
  Handle handle = only<Listen>(opened)[0].subscription;
  EXPECT_TRUE(sent(talk.hear(Delivered{handle, wire("{live}")})).empty());  // R2
  EXPECT_EQ(sent(talk.hear(ReadEnded{handle, nostr::Completeness::Finished})),
            (Texts{R"(["EOSE","sub",["finish"]])", R"(["EVENT","sub",{live}])"}));
  EXPECT_EQ(sent(talk.hear(Delivered{handle, wire("{next}")})), Texts{R"(["EVENT","sub",{next}])"});
}

TEST(Requests, WithLimitZeroAreLiveAtOnce) {  // R4
  Talk talk;
  auto opened = talk.req("sub", {{.limit = 0}});
  EXPECT_EQ(sent(opened), Texts{R"(["EOSE","sub"])"});
  EXPECT_TRUE(only<Read>(opened).empty());
  EXPECT_EQ(only<Listen>(opened).size(), 1u);
}

TEST(Requests, AreClippedToTheLimitExceptByIds) {  // R4
  Talk talk({.filter_limit = 10});
  std::vector<nostr::EventId> ids(20);
  auto read = only<Read>(talk.req("sub", {{}, {.limit = 3}, {.limit = 99}, {.ids = ids}}));
  ASSERT_EQ(read.size(), 1u);
  using store::Quota;
  EXPECT_EQ(read[0].quotas,
            (std::vector{Quota(10, 10'000, {}), Quota(3), Quota(10, 89, {}), Quota(Quota::kAll)}));
}

TEST(Requests, ReplaceTheOldOneOfTheSameName) {  // R1
  Talk talk;
  Handle old = only<Listen>(talk.req("sub"))[0].subscription;
  auto replaced = talk.req("sub");
  ASSERT_EQ(only<Unlisten>(replaced).size(), 1u);
  EXPECT_EQ(only<Unlisten>(replaced)[0].subscription, old);
  EXPECT_EQ(only<CancelQuery>(replaced).size(), 1u);
  EXPECT_TRUE(sent(talk.hear(ReadEnded{old, nostr::Completeness::Finished})).empty());
  EXPECT_TRUE(sent(talk.hear(Delivered{old, wire("{}")})).empty());
}

TEST(Requests, ThatAreRefusedEndTheOldOneOfTheSameName) {  // R1
  Talk talk({.filters_per_request = 1, .queries_per_minute = 3});
  EXPECT_EQ(only<Listen>(talk.req("sub")).size(), 1u);
  EXPECT_EQ(only<Unlisten>(talk.req("sub", {{}, {}})).size(), 1u);
  EXPECT_EQ(only<Listen>(talk.req("sub")).size(), 1u);
  EXPECT_EQ(only<Unlisten>(talk.req("sub")).size(), 1u);  // too many queries
  Talk other;
  EXPECT_EQ(only<Listen>(other.req("sub")).size(), 1u);
  nostr::BadMessage bad{nostr::BadMessage::Reply::Closed, "sub", "invalid: kinds"};
  auto actions = other.hear(SaidNonsense{bad});
  EXPECT_EQ(only<Unlisten>(actions).size(), 1u);
  EXPECT_EQ(sent(actions), Texts{R"(["CLOSED","sub","invalid: kinds"])"});
}

TEST(Requests, WithAnEmptyListOfIdsAreAnsweredInFull) {
  Talk talk;
  EXPECT_EQ(only<Read>(talk.req("sub", {{.ids = std::vector<nostr::EventId>{}}})).size(), 1u);
}

TEST(Requests, WaitForTheirTurn) {  // R3
  Talk talk({.queries_in_flight = 1});
  auto first = only<Read>(talk.req("a"));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(only<Read>(talk.req("b")).empty());
  auto next = only<Read>(talk.hear(ReadEnded{first[0].subscription, {}}));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].name, "b");
}

TEST(Requests, ThatAreClosedMakeRoomForTheNext) {
  Talk talk({.queries_in_flight = 1});
  (void)talk.req("a");
  (void)talk.req("b");
  (void)talk.req("c");
  (void)talk.say(nostr::client::Close{"b"});
  auto next = only<Read>(talk.say(nostr::client::Close{"a"}));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].name, "c");
}

struct RefusedRequest {
  Limits limits;
  std::vector<nostr::Filter> filters;
  std::string name;
  std::size_t bytes;
  std::string reason;
};

TEST(Requests, AreRefusedInWordsThatPeersUnderstand) {
  const std::vector<RefusedRequest> cases{
      {{.filters_per_request = 1},
       {{}, {}},
       "s",
       9,
       "rate-limited: REQ exceeds max filter count 1"},
      {{.subscription_bytes = 8},
       {{}},
       "s",
       9,
       "rate-limited: active subscriptions exceed max size 8 bytes"},
      {{.subscription_id_bytes = 2},
       {{}},
       "sub",
       9,
       "blocked: subscription ID exceeds max length 2"}};
  for (const auto& test : cases) {
    Talk talk(test.limits);
    auto actions = talk.req(test.name, test.filters, test.bytes);
    EXPECT_EQ(sent(actions), Texts{"[\"CLOSED\",\"" + test.name + "\",\"" + test.reason + "\"]"});
    EXPECT_TRUE(only<Listen>(actions).empty());
  }
}

TEST(Requests, AreLimitedInNumberAndRate) {
  Talk few({.subscriptions = 1});
  (void)few.req("a");
  EXPECT_EQ(sent(few.req("b")), Texts{R"(["CLOSED","b","rate-limited: too many REQs"])"});
  EXPECT_EQ(only<Listen>(few.req("a")).size(), 1u);
  Talk slow({.queries_per_minute = 1});
  (void)slow.req("a");
  EXPECT_EQ(sent(slow.req("b")), Texts{R"(["CLOSED","b","rate-limited: too many queries"])"});
}

TEST(Requests, OfAClientThatFellBehindAreAllClosed) {
  Talk talk;
  (void)talk.req("a");
  (void)talk.req("b");
  auto actions = talk.hear(FellBehind{});
  EXPECT_EQ(sent(actions).size(), 2u);
  EXPECT_EQ(only<Unlisten>(actions).size(), 2u);
}

TEST(Requests, HoldBackOnlySoMuchBeforeEose) {  // R5
  Talk talk({.outbound_bytes = 10});
  Handle handle = only<Listen>(talk.req("sub"))[0].subscription;
  for (int i = 0; i < 3; ++i)  // one batch makes nobody slow
    EXPECT_TRUE(talk.hear(Delivered{handle, wire("12345678"), 1}).empty());
  auto actions = talk.hear(Delivered{handle, wire("12345678"), 2});
  EXPECT_EQ(sent(actions), Texts{R"(["CLOSED","sub","error: too far behind; ask again"])"});
  EXPECT_EQ(only<Unlisten>(actions).size(), 1u);
}

TEST(Requests, ThatFailAreClosedWithTheReason) {
  Talk talk;
  Handle handle = only<Listen>(talk.req("sub"))[0].subscription;
  EXPECT_EQ(sent(talk.hear(QueryFailed{handle, "error: disk"})),
            Texts{R"(["CLOSED","sub","error: disk"])"});
}

TEST(Counts, HoldABoundedAmountOfText) {
  Talk talk({.subscription_bytes = 1'000});
  int counts = 0;
  const auto count = [&](std::size_t bytes) {
    const std::string name = "c" + std::to_string(++counts);
    return talk.say(nostr::client::Count{name, {{}}, std::nullopt}, bytes);
  };
  const auto first = only<Count>(count(600));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(sent(count(401)), (Texts{R"(["CLOSED","c2","rate-limited: too many queries"])"}));
  const auto second = only<Count>(count(400));
  ASSERT_EQ(second.size(), 1u);
  talk.hear(QueryFailed{first[0].query, "error: gone"});
  EXPECT_EQ(only<Count>(count(600)).size(), 1u);
  talk.hear(Counted{second[0].query, 5, ""});
  EXPECT_EQ(only<Count>(count(400)).size(), 1u);
  EXPECT_EQ(only<Count>(count(1)).size(), 0u);
}

TEST(Counts, HaveNamesNoLongerThanThoseOfSubscriptions) {
  Talk talk({.subscription_id_bytes = 3});
  const auto answer = sent(talk.say(nostr::client::Count{"long", {{}}, std::nullopt}));
  EXPECT_EQ(answer,
            (Texts{R"(["CLOSED","long","blocked: subscription ID exceeds max length 3"])"}));
}

TEST(Counts, AreAnswered) {
  Talk talk;
  auto counts = only<Count>(talk.say(nostr::client::Count{"c", {{}}, std::nullopt}));
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(sent(talk.hear(Counted{counts[0].query, 5, ""})),
            Texts{R"(["COUNT","c",{"count":5}])"});
}

Handle open_neg(Talk& talk, const std::string& name) {
  auto opened = only<OpenReconciliation>(talk.say(nostr::client::NegOpen{name, {}, "\x61"}));
  EXPECT_EQ(opened.size(), 1u);
  return opened.at(0).reconciliation;
}

TEST(Reconciliations, GoBackAndForthUntilClosed) {
  Talk talk;
  Handle handle = open_neg(talk, "n");
  EXPECT_EQ(sent(talk.hear(Reconciled{handle, "\x61"})), Texts{R"(["NEG-MSG","n","61"])"});
  auto next = talk.say(nostr::client::NegMessage{"n", "\x61"});
  EXPECT_EQ(only<ContinueReconciliation>(next).size(), 1u);
  EXPECT_EQ(only<EndReconciliation>(talk.say(nostr::client::NegClose{"n"})).size(), 1u);
  EXPECT_TRUE(talk.hear(Reconciled{handle, "\x61"}).empty());
}

TEST(Reconciliations, OpenedAgainCloseTheOldOne) {  // N1
  Talk talk;
  Handle old = open_neg(talk, "n");
  auto actions = talk.say(nostr::client::NegOpen{"n", {}, "\x61"});
  ASSERT_EQ(only<EndReconciliation>(actions).size(), 1u);
  EXPECT_EQ(only<EndReconciliation>(actions)[0].reconciliation, old);
}

TEST(Reconciliations, AreLimitedInNumber) {
  Talk talk({.negentropy_sessions = 1});
  open_neg(talk, "a");
  EXPECT_EQ(sent(talk.say(nostr::client::NegOpen{"b", {}, "\x61"})),
            Texts{R"(["NEG-ERR","b","rate-limited: too many negentropy subscriptions"])"});
}

TEST(Reconciliations, TellTheCapWhenASetIsTooBig) {
  Talk talk;
  Handle handle = open_neg(talk, "n");
  auto actions = talk.hear(ReconciliationRefused{handle, "blocked: too many records", 500});
  EXPECT_EQ(sent(actions), Texts{R"(["NEG-ERR","n","blocked: too many records",500])"});
  EXPECT_EQ(only<EndReconciliation>(actions).size(), 1u);
}

TEST(Reconciliations, ThatNobodyContinuesAreClosed) {  // N3
  Talk talk({.negentropy_idle = 60s});
  Handle handle = open_neg(talk, "n");
  (void)talk.hear(Reconciled{handle, "\x61"});
  talk.elapsed += 59s;
  EXPECT_TRUE(talk.hear(Tick{}).empty());
  talk.elapsed += 1s;
  EXPECT_EQ(sent(talk.hear(Tick{})),
            Texts{R"(["NEG-ERR","n","closed: you took too long to respond"])"});
}

TEST(Reconciliations, AnswerAStrangerWithAnErrorNotANotice) {  // N2
  Talk talk;
  auto answer = sent(talk.say(nostr::client::NegMessage{"unknown", "\x61"}));
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].rfind(R"(["NEG-ERR","unknown","closed: )", 0), 0u);
}

}  // namespace session_test
}  // namespace graspd::relay
