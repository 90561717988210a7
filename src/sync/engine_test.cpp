#include "sync/engine.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace graspd::sync {
namespace engine_test {

using namespace std::chrono_literals;
using nostr::RelayUrl;

// Drives an engine by hand: what it asked for is looked at, what it is told is up to the test.
struct Hands {
  Engine engine;
  core::Now now{core::Instant(1h), 1'800'000'000};
  Actions last;

  explicit Hands(Options options = {}) : engine(std::move(options), core::Rng(1)) {}

  void tell(const Input& input) {
    last = engine.step(now, input);
    engine.check_invariants();
  }
  void pass(core::Duration span) {
    now.instant += span;
    now.unix_seconds += span / 1s;
    tell(Alarm{});
  }
  template <class T>
  std::vector<T> asked() const {
    std::vector<T> out;
    for (const Action& action : last) {
      if (const T* one = std::get_if<T>(&action)) out.push_back(*one);
    }
    return out;
  }
  // Follows one repository on one relay and connects to it; the session.
  Dial reach(const std::string& url, std::optional<PeerInformation> information = {}) {
    tell(RepoSeen{repo(1), Level::Full, {url}, {}});
    tell(FeedHistoryEnded{});
    const auto question = asked<ReadInformation>().at(0);
    tell(InformationRead{question.relay, question.session, std::move(information)});
    const auto dial = asked<Dial>().at(0);
    tell(Connected{dial.relay, dial.session});
    return dial;
  }
  static nostr::Address repo(int number) { return {{30617}, {}, "r" + std::to_string(number)}; }
};

TEST(Engine, DoesNothingBeforeTheHistoryOfTheFeedHasEnded) {  // R3
  Hands hands;
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://a.example"}, {}});
  hands.pass(1h);
  EXPECT_TRUE(hands.asked<ReadInformation>().empty());
  hands.tell(FeedHistoryEnded{});
  EXPECT_EQ(hands.asked<ReadInformation>().size(), 1u);
}

TEST(Engine, BatchesNewItemsFromTheFirstAndDoesNotRestartTheWindow) {  // R3
  Hands hands;
  hands.tell(FeedHistoryEnded{});
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://a.example"}, {}});
  hands.pass(4s);
  hands.tell(RepoSeen{Hands::repo(2), Level::Full, {"wss://b.example"}, {}});
  EXPECT_TRUE(hands.asked<ReadInformation>().empty());
  hands.pass(1s);
  EXPECT_EQ(hands.asked<ReadInformation>().size(), 1u);  // the other dial is 250 ms later
  hands.pass(250ms);
  EXPECT_EQ(hands.asked<ReadInformation>().size(), 1u);
}

// The relay's answer to NIP-11, and whether it is dialled then.
bool dials(Hands& hands, const std::string& url, std::optional<PeerInformation> information) {
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {url}, {}});
  hands.tell(FeedHistoryEnded{});
  for (const auto& question : hands.asked<ReadInformation>())
    hands.tell(InformationRead{question.relay, question.session, information});
  return !hands.asked<Dial>().empty();
}

TEST(Engine, DialsTheKindOfPeersThatFitsTheServer) {  // R8
  const PeerInformation open{.supported_grasps = {"GRASP-01"}};
  const PeerInformation closed{.supported_grasps = {"GRASP-01", "GRASP-08"}};
  const auto check = [&](Peers peers, const std::optional<PeerInformation>& peer) {
    Hands hands({.peers = peers});
    return dials(hands, "wss://a.example", peer);
  };
  EXPECT_TRUE(check(Peers::Public, open));
  EXPECT_TRUE(check(Peers::Public, std::nullopt));
  EXPECT_FALSE(check(Peers::Public, closed));
  EXPECT_FALSE(check(Peers::Private, open));
  EXPECT_FALSE(check(Peers::Private, std::nullopt));
  EXPECT_TRUE(check(Peers::Private, closed));
  for (const auto& peer : {open, closed}) EXPECT_TRUE(check(Peers::All, peer));
  Hands hands({.peers = Peers::Private, .bootstrap = {*RelayUrl::parse("wss://a.example")}});
  EXPECT_TRUE(dials(hands, "wss://a.example", open));
}

TEST(Engine, AsksAPrivatePeerNothingBeforeItKnowsUs) {  // R8
  Hands hands({.peers = Peers::Private, .negentropy = false});
  const Dial dial =
      hands.reach("wss://a.example", PeerInformation{.supported_grasps = {"GRASP-08"}});
  EXPECT_EQ(hands.asked<Authenticate>().size(), 1U);
  EXPECT_TRUE(hands.asked<Subscribe>().empty());
  hands.tell(Authenticated{dial.relay, dial.session, true, ""});
  EXPECT_FALSE(hands.asked<Subscribe>().empty());
}

TEST(Engine, OpensLiveBeforeHistory) {
  Hands hands({.negentropy = false});
  hands.reach("wss://a.example");
  const auto requests = hands.asked<Subscribe>();
  ASSERT_GE(requests.size(), 2u);
  EXPECT_EQ(requests[0].source, Source::Live);
  EXPECT_EQ(requests[0].filters->at(0).limit, 0u);
  EXPECT_EQ(requests[1].source, Source::Historic);
}

TEST(Engine, IgnoresWhatAnOldSessionSays) {  // R6
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  const Sub live = hands.asked<Subscribe>()[0].sub;
  hands.tell(Disconnected{dial.relay, dial.session, "gone"});
  hands.tell(EndOfStored{dial.relay, dial.session, live, {}});
  hands.tell(Disconnected{dial.relay, dial.session, "gone"});
  EXPECT_EQ(hands.engine.meter().stale_inputs, 2u);
}

TEST(Engine, BlamesAPeerThatWasLeftForWhatItDidHoweverLongItWasThere) {
  Hands hands;
  const Dial dial = hands.reach("wss://a.example");
  for (int i = 0; i < 10; ++i) {
    hands.pass(1min);
    hands.tell(Heard{dial.relay, dial.session});
  }
  hands.tell(Disconnected{dial.relay, dial.session, "it held too much", true});
  const RelayStatus relay = hands.engine.status(hands.now).relays.at(0);
  EXPECT_EQ(relay.failures, 1u);
  EXPECT_EQ(relay.health, HealthState::Degraded);
  EXPECT_EQ(relay.why, "it held too much");
  EXPECT_FALSE(hands.asked<Log>().empty());
}

TEST(Engine, ConfirmsNothingBeforeTheIntakeHasJudgedIt) {
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  const auto requests = hands.asked<Subscribe>();
  const Relay* relay = hands.engine.find(*RelayUrl::parse("wss://a.example"));
  EventArrived event{dial.relay, dial.session, requests[1].sub, {}, 5, true, {}};
  hands.tell(event);
  for (std::size_t i = 1; i < requests.size(); ++i) {
    hands.tell(
        EndOfStored{dial.relay, dial.session, requests[i].sub, nostr::Completeness::Finished});
  }
  EXPECT_FALSE(relay->memory.announcements_synced && relay->memory.confirmed.repos.size() == 1);
  hands.tell(EventJudged{dial.relay, dial.session, requests[1].sub, {}, 5, nostr::Outcome::Stored});
  EXPECT_TRUE(relay->memory.announcements_synced);
  EXPECT_EQ(relay->memory.confirmed.repos.size(), 1u);
}

TEST(Engine, LeavesItToTheSocketWhetherAQuietRelayIsAlive) {  // R7 of sync/messages.h
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  hands.pass(10min);
  EXPECT_TRUE(hands.asked<HangUp>().empty());
  const core::UnixSeconds alive = hands.now.unix_seconds - 75;
  EXPECT_EQ(hands.engine.status(hands.now).relays.at(0).last_alive, alive);
  hands.tell(Disconnected{dial.relay, dial.session, "the peer stopped responding"});
  hands.pass(1min);
  EXPECT_EQ(hands.engine.status(hands.now).relays.at(0).last_alive, alive);
}

TEST(Engine, BlamesNoRelayForSilenceWhileItIsNotReadFrom) {  // R1 of sync/reading_pauses.h
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  hands.pass(20s);
  hands.tell(ReadingPaused{dial.relay, dial.session, true});
  for (int i = 0; i < 20; ++i) {
    hands.pass(30s);
    EXPECT_TRUE(hands.asked<Unsubscribe>().empty());
  }
  hands.tell(ReadingResumed{dial.relay, dial.session});
  hands.pass(30s);
  RelayStatus relay = hands.engine.status(hands.now).relays.at(0);
  EXPECT_EQ(relay.meter.timeouts, 0u);
  EXPECT_EQ(relay.meter.paused_ms, 600'000u);
  hands.tell(Heard{dial.relay, dial.session});
  hands.pass(71s);  // 20 s before and 101 s after: now it is late
  relay = hands.engine.status(hands.now).relays.at(0);
  EXPECT_GT(relay.meter.timeouts, 0u);
}

TEST(Engine, DoesNotCallARelayInSyncThatItIsHeldBackFromReading) {
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  hands.tell(ReadingPaused{dial.relay, dial.session, true});
  EXPECT_EQ(hands.asked<Log>().size(), 1u);
  const RelayStatus relay = hands.engine.status(hands.now).relays.at(0);
  EXPECT_EQ(relay.link, LinkState::Syncing);
  EXPECT_TRUE(relay.over_budget);
  hands.tell(ReadingResumed{dial.relay, dial.session});
  hands.tell(ReadingPaused{dial.relay, dial.session, true});
  EXPECT_TRUE(hands.asked<Log>().empty()) << "once in a connection is enough";
}

TEST(Engine, CountsWhatThereIsNoSpaceForAsMissingAndAsksForItAgain) {
  Hands hands({.negentropy = false});
  const Dial dial = hands.reach("wss://a.example");
  const auto requests = hands.asked<Subscribe>();
  nostr::EventId::Bytes bytes{};
  bytes[0] = 7;
  const nostr::EventId id(bytes);
  hands.tell(EventArrived{dial.relay, dial.session, requests[1].sub, id, 5, true, {}});
  hands.tell(
      EventJudged{dial.relay, dial.session, requests[1].sub, id, 5, nostr::Outcome::Postponed});
  for (const Subscribe& request : requests)
    hands.tell(EndOfStored{dial.relay, dial.session, request.sub, nostr::Completeness::Finished});
  const Relay* relay = hands.engine.find(*RelayUrl::parse("wss://a.example"));
  EXPECT_TRUE(relay->memory.announcements_synced) << "the rest is not held up by it";
  RelayStatus status = hands.engine.status(hands.now).relays.at(0);
  EXPECT_EQ(status.ids_lost, 1u);
  EXPECT_EQ(status.meter.postponed, 1u);
  const auto asked_again = [&] {
    const auto all = hands.asked<Subscribe>();
    return std::any_of(all.begin(), all.end(), [&](const Subscribe& one) {
      return one.filters->at(0).ids == std::vector{id};
    });
  };
  hands.pass(31s);
  ASSERT_TRUE(asked_again());
  const Sub again = hands.asked<Subscribe>().back().sub;
  hands.tell(EventArrived{dial.relay, dial.session, again, id, 5, true, {}});
  hands.tell(EventJudged{dial.relay, dial.session, again, id, 5, nostr::Outcome::Postponed});
  hands.tell(EndOfStored{dial.relay, dial.session, again, nostr::Completeness::Finished});
  EXPECT_EQ(hands.engine.status(hands.now).relays.at(0).ids_lost, 1u);
  hands.pass(31s);
  EXPECT_TRUE(asked_again());
}

TEST(Engine, NeverDialsItself) {
  Hands hands({.own_urls = {*RelayUrl::parse("wss://us.example")}});
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://us.example/"}, {}});
  hands.tell(FeedHistoryEnded{});
  EXPECT_TRUE(hands.asked<ReadInformation>().empty());
}

TEST(Engine, FollowsNoMoreRelaysThanItMay) {
  Hands hands({.places = {.all = 2}});
  hands.tell(RepoSeen{
      Hands::repo(1), Level::Full, {"wss://a.example", "wss://b.example", "wss://c.example"}, {}});
  hands.tell(FeedHistoryEnded{});
  EXPECT_EQ(hands.engine.status(hands.now).relays.size(), 2u);
  EXPECT_EQ(hands.engine.status(hands.now).meter.relays_refused, 1u);
  EXPECT_EQ(hands.engine.status(hands.now).waiting.for_any, 1u);
}

TEST(Engine, FollowsAnyNumberOfRelaysWithoutALimit) {
  Hands hands({.places = {.all = 0}});
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://a.example", "wss://b.example"}, {}});
  hands.tell(FeedHistoryEnded{});
  EXPECT_EQ(hands.engine.status(hands.now).relays.size(), 2u);
}

TEST(Engine, GivesAPlaceThatBecomesFreeToWhoWaitsForAllThatListIt) {  // R7
  const std::string a = "wss://a.example", b = "wss://b.example", c = "wss://c.example";
  Hands hands({.places = {.all = 1}});
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {a, b}, {}});
  hands.tell(FeedHistoryEnded{});
  hands.tell(RepoSeen{Hands::repo(2), Level::Full, {c}, {}});
  hands.tell(RepoSeen{Hands::repo(3), Level::Full, {c}, {}});
  hands.tell(RepoSeen{Hands::repo(4), Level::Full, {b}, {}});
  hands.tell(RepoSeen{Hands::repo(4), Level::Full, {}, {}});  // waits for nothing any more
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {b}, {}});
  hands.pass(5s);
  const auto dial = hands.engine.find(*RelayUrl::parse(a));
  ASSERT_NE(dial, nullptr);
  const auto [relay, session] = std::pair(dial->memory.id, Session{1});
  hands.tell(InformationRead{relay, session, {}});
  hands.tell(DialFailed{relay, session, DialProblem::Network, "refused", {}});
  hands.pass(15min);
  EXPECT_EQ(hands.engine.find(*RelayUrl::parse(a)), nullptr);
  const auto status = hands.engine.status(hands.now).relays;
  ASSERT_EQ(status.size(), 1u);
  EXPECT_EQ(status[0].url, c);
  EXPECT_EQ(status[0].target_repos, 2u);
  EXPECT_EQ(hands.asked<ReadInformation>().size(), 1u);
}

TEST(Engine, AlwaysFollowsABootstrapRelayWhateverTheLimits) {  // R7
  const std::vector<RelayUrl> bootstrap{*RelayUrl::parse("wss://x.example:1"),
                                        *RelayUrl::parse("wss://x.example:2")};
  Hands hands({.bootstrap = bootstrap, .places = {.all = 1, .per_owner = 1, .per_host = 1}});
  hands.tell(FeedHistoryEnded{});
  EXPECT_EQ(hands.engine.status(hands.now).relays.size(), 2u);
}

TEST(Engine, FollowsOnlyStatesOfARepositoryInPurgatory) {
  Hands hands({.negentropy = false});
  hands.tell(RepoSeen{Hands::repo(1), Level::StateOnly, {"wss://a.example"}, {}});
  hands.tell(RootSeen{{}, {Hands::repo(1)}, 1});
  hands.tell(FeedHistoryEnded{});
  const auto question = hands.asked<ReadInformation>().at(0);
  hands.tell(InformationRead{question.relay, question.session, {}});
  const auto dial = hands.asked<Dial>().at(0);
  hands.tell(Connected{dial.relay, dial.session});
  const auto live = hands.asked<Subscribe>().at(0);
  ASSERT_EQ(live.filters->size(), 2u);
  EXPECT_EQ(live.filters->at(0).kinds, (std::vector<nostr::Kind>{{10317}, {30617}}));
  EXPECT_EQ(live.filters->at(1).kinds, std::vector<nostr::Kind>{{30618}});
  EXPECT_EQ(live.filters->at(1).tags[0].values, std::vector<std::string>{"r1"});
}

TEST(Engine, ClosesEverythingWhenItStops) {
  Hands hands({.negentropy = false});
  hands.reach("wss://a.example");
  const auto open = hands.asked<Subscribe>().size();
  hands.tell(StopWanted{});
  EXPECT_EQ(hands.asked<Unsubscribe>().size(), open);
  EXPECT_EQ(hands.asked<HangUp>().size(), 1u);
  EXPECT_GE(hands.asked<Save>().size(), 1u);
}

TEST(Engine, RetriesAtOnceWhenTheOperatorSaysSo) {
  Hands hands;
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://a.example"}, {}});
  hands.tell(FeedHistoryEnded{});
  auto question = hands.asked<ReadInformation>().at(0);
  for (int i = 0; i < 8; ++i) {
    hands.tell(InformationRead{question.relay, question.session, {}});
    const auto dial = hands.asked<Dial>().at(0);
    hands.tell(DialFailed{dial.relay, dial.session, DialProblem::Network, "refused", {}});
    hands.now.instant += 1s;
    hands.tell(RetryWanted{*RelayUrl::parse("wss://a.example")});
    ASSERT_EQ(hands.asked<ReadInformation>().size(), 1u);
    question = hands.asked<ReadInformation>().at(0);
  }
}

TEST(Engine, ShowsWhyARelayIsStuckAndWhenItIsTriedNext) {
  Hands hands;
  hands.tell(RepoSeen{Hands::repo(1), Level::Full, {"wss://a.example"}, {}});
  hands.tell(FeedHistoryEnded{});
  const auto question = hands.asked<ReadInformation>().at(0);
  hands.tell(InformationRead{question.relay, question.session, {}});
  const auto dial = hands.asked<Dial>().at(0);
  hands.tell(DialFailed{dial.relay, dial.session, DialProblem::Tls, "certificate expired", {}});
  const auto status = hands.engine.status(hands.now).relays.at(0);
  EXPECT_EQ(status.why, "certificate expired");
  EXPECT_EQ(status.health, HealthState::Degraded);
  EXPECT_EQ(status.next_try, hands.now.unix_seconds + 5);
}

}  // namespace engine_test
}  // namespace graspd::sync
