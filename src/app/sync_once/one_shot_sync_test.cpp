#include "app/sync_once/one_shot_sync.h"

#include <gtest/gtest.h>

#include "nostr/json.h"
#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::app {
namespace one_shot_sync_test {

using namespace std::chrono_literals;
namespace said = nostr::relay_said;
namespace client = nostr::client;
using Messages = std::vector<nostr::RelayMessage>;
using nostr::Outcome;
using store::testing::event;

constexpr core::UnixSeconds kToday = 1'700'000'000;

std::vector<nostr::WireEventPtr> notes(std::uint32_t count, core::UnixSeconds from = kToday - 5000,
                                       core::UnixSeconds step = 1) {
  std::vector<nostr::WireEventPtr> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back(event(1, 1, from + i * step, {}, std::to_string(i)));
  return out;
}

void write(store::MemoryStore& store, const std::vector<nostr::WireEventPtr>& events) {
  std::vector<store::Write> writes;
  for (const auto& one : events) writes.push_back({one});
  ASSERT_TRUE(store.write(writes, kToday));
}

// A relay with habits.
struct FakeRelay {
  store::MemoryStore store;
  bool reconciles = true, answers = true, wants_auth = false, lets_in = true;
  std::string instead_of_reconciling;  // a NOTICE
  std::uint64_t items_max = 1'000'000, page_max = 500;
  std::set<nostr::EventId> withheld;
  std::size_t too_fast = 0;  // EVENTs it refuses for speed
  bool knows_us = false;
  std::size_t opened = 0, requested = 0, got = 0;
  std::map<std::string, negentropy::Responder> sessions;
  nostr::JsonReader reader;

  void add(const std::vector<nostr::WireEventPtr>& events) { write(store, events); }
  Messages hear(const std::string& word) {
    auto message = reader.client_message(word);
    EXPECT_TRUE(message) << word;
    if (!message || !answers) return {};
    return std::visit([&](auto& said) { return on(said); }, *message);
  }

  template <class Refusal>
  Messages refuse(Refusal refusal) {
    return {said::Challenge{"c"}, std::move(refusal)};
  }
  Messages on(client::Request& in) {
    ++requested;
    if (wants_auth && !knows_us)
      return refuse(said::Closed{in.subscription, "auth-required: who are you?"});
    nostr::Filter filter = in.filters.at(0);
    filter.limit = filter.ids ? filter.limit : std::min(filter.limit.value_or(page_max), page_max);
    store::Cursor cursor({filter}, store.newest());
    Messages out;
    (void)(*store.snapshot())->read(cursor, {1 << 30, 1 << 30}, kToday, [&](const store::Found& f) {
      if (!withheld.contains(f.position.id))
        out.push_back(said::Matching{in.subscription, *nostr::JsonReader().event(f.json)});
    });
    out.push_back(said::EndOfStored{in.subscription});
    return out;
  }
  Messages on(client::NegOpen& in) {
    ++opened;
    if (!instead_of_reconciling.empty()) return {said::Notice{instead_of_reconciling}};
    if (!reconciles) return {};
    if (wants_auth && !knows_us)
      return refuse(said::NegError{in.subscription, "auth-required: who are you?", {}});
    const Inventory inventory{store};
    const auto items = inventory.items(in.filter, items_max, kToday);
    if (!items->complete)
      return {said::NegError{in.subscription, "blocked: too many records", items_max}};
    const auto at =
        sessions.insert_or_assign(in.subscription, negentropy::Responder(items->set, {})).first;
    return {said::NegMessage{in.subscription, *at->second.respond(in.message)}};
  }
  Messages on(client::NegMessage& in) {
    return {said::NegMessage{in.subscription, *sessions.at(in.subscription).respond(in.message)}};
  }
  Messages on(client::Publish& in) {
    if (too_fast > 0) {
      --too_fast;
      return {said::Ok{in.event.id, false, "rate-limited: slow down"}};
    }
    ++got;
    add({store::testing::finish(in.event)});
    return {said::Ok{in.event.id, true, ""}};
  }
  Messages on(client::Authenticate& in) {
    knows_us = lets_in;
    return {said::Ok{in.event.id, lets_in, lets_in ? "" : "restricted: not you"}};
  }
  Messages on(client::Count&) { return {}; }
  Messages on(client::Close&) { return {}; }
  Messages on(client::NegClose&) { return {}; }
};

class Syncing : public ::testing::Test {
 protected:
  OneShotSync& start() {
    if (wish.filters.empty()) wish.filters.emplace_back();
    OneShotSync::Terms terms{.wish = wish, .peer = peer, .answer = {}, .notice = {}};
    terms.answer = [](const std::string&) { return event(7, 22242, kToday)->event; };
    terms.items_max = items_max;
    terms.notice = [this](const std::string& text) { notices.push_back(text); };
    talk.emplace(std::move(terms), inventory, now());
    return *talk;
  }
  core::Now now() const { return {core::Instant(elapsed), kToday}; }

  // A turn: everything that is said is heard, everything that came is judged.
  void turn() {
    for (const std::string& word : talk->take_words())
      for (nostr::RelayMessage& message : relay.hear(word)) {
        if (lost_after > 0 && --lost_after == 0) return lose();
        talk->hear(now(), std::move(message));
      }
    for (nostr::Event& one : talk->take_events()) judge(std::move(one));
    elapsed += 10ms;
    talk->tick(now());
  }
  void judge(nostr::Event one) {
    const nostr::EventId id = one.id;
    if (forged.erase(id) > 0) return talk->judged(now(), {id, Outcome::Forged, "invalid: x"});
    if (unwanted.contains(id)) return talk->judged(now(), {id, Outcome::Refused, "blocked: x"});
    keep({store::testing::finish(std::move(one))});
    talk->judged(now(), {id, Outcome::Stored, ""});
  }
  void lose() {
    talk->disconnected(now());
    (void)talk->take_words();
    EXPECT_TRUE(talk->has_moved());
    talk->connected(now());
  }
  OneShotReport run() {
    start().connected(now());
    for (int i = 0; i < 20'000 && !talk->finished(); ++i) turn();
    EXPECT_TRUE(talk->finished());
    return talk->final_report();
  }
  void keep(const std::vector<nostr::WireEventPtr>& events) { write(here, events); }
  std::uint64_t size() const { return (*here.snapshot())->size(); }

  SyncRequest wish{.peer = *nostr::RelayUrl::parse("wss://relay.example"),
                   .filters = {},
                   .inactivity_limit = 60s};
  std::optional<sync::PeerInformation> peer = sync::PeerInformation{.software = "graspd"};
  store::MemoryStore here;
  Inventory inventory{here};
  FakeRelay relay;
  std::set<nostr::EventId> forged, unwanted;
  std::vector<std::string> notices;
  std::size_t lost_after = 0;
  std::uint64_t items_max = 1'000'000;
  core::Duration elapsed{0};
  std::optional<OneShotSync> talk;
};

TEST_F(Syncing, FetchesByIdWhatIsMissing) {  // R1
  const auto events = notes(1500);
  relay.add(events);
  keep({events[3], events[700]});
  const OneShotReport report = run();
  EXPECT_EQ(report.already_here, 2U);
  EXPECT_EQ(report.missing_here, 1498U);
  EXPECT_EQ(report.stored, 1498U);
  EXPECT_EQ(size(), 1500U);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_LT(relay.requested, 10U);
}

TEST_F(Syncing, HasNothingToDoTheSecondTime) {
  relay.add(notes(300));
  run();
  relay.requested = 0;
  const OneShotReport report = run();
  EXPECT_EQ(report.already_here, 300U);
  EXPECT_EQ(report.fetched, 0U);
  EXPECT_EQ(relay.requested, 0U);
}

TEST_F(Syncing, ComparesOnlyInADryRun) {
  wish.dry_run = wish.up = true;
  relay.add(notes(30));
  keep({event(2, 1, kToday)});
  const OneShotReport report = run();
  EXPECT_EQ(report.missing_here, 30U);
  EXPECT_EQ(report.peer_lacks, 1U);
  EXPECT_EQ(report.fetched + relay.got, 0U);
  EXPECT_EQ(size(), 1U);
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Syncing, KeepsToItsFilters) {
  wish.filters.resize(2);
  wish.filters[0].kinds = {{{7}}};
  wish.filters[1].until = kToday - 5000;
  relay.add(notes(10));
  relay.add({event(1, 7, kToday)});
  EXPECT_EQ(run().stored, 2U);
}

TEST_F(Syncing, ReadsPagesWhereNobodyReconciles) {  // R1 R2
  for (const bool notice : {false, true}) {
    here = store::MemoryStore();
    relay.reconciles = false;
    relay.instead_of_reconciling = notice ? "ERROR: bad msg: negentropy disabled" : "";
    relay.page_max = 100;
    relay.add(notes(950, kToday - 10'000, 3));
    const OneShotReport report = run();
    EXPECT_EQ(report.stored, 950U);
    EXPECT_EQ(size(), 950U);
    EXPECT_EQ(exit_code(report), 0);
    EXPECT_FALSE(notices.empty());
  }
}

TEST_F(Syncing, DoesNotEvenTryWhereItIsNotOffered) {
  peer->supported_nips = {1, 11};
  relay.add(notes(40));
  EXPECT_EQ(run().stored, 40U);
  EXPECT_EQ(relay.opened, 0U);
}

TEST_F(Syncing, UploadsWhatThePeerLacks) {  // R5
  for (const bool reconciles : {true, false}) {
    relay.store = store::MemoryStore();
    relay.reconciles = reconciles;
    relay.got = 0;
    wish.down = false;
    wish.up = true;
    const auto events = notes(600);
    keep(events);
    relay.add({events[0], events[1], event(9, 1, kToday)});
    const OneShotReport report = run();
    EXPECT_EQ(report.peer_lacks, 598U);
    EXPECT_EQ(report.uploaded, 598U);
    EXPECT_EQ(relay.got, 598U);
    EXPECT_EQ(report.fetched, 0U);
    EXPECT_EQ(exit_code(report), 0);
  }
}

TEST_F(Syncing, KeepsProtectedEventsBack) {
  wish.up = true;
  keep({event(1, 1, kToday, {{"-"}}), event(1, 1, kToday, {{"t", "[\"-\""}})});
  const OneShotReport report = run();
  EXPECT_EQ(report.kept_back, 1U);
  EXPECT_EQ(report.uploaded, 1U);
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Syncing, SlowsItsUploadsDown) {
  wish.up = true;
  relay.too_fast = 25;
  keep(notes(100));
  EXPECT_EQ(run().uploaded, 100U);
  EXPECT_GT(elapsed, 1s);
}

TEST_F(Syncing, SplitsByTimeWhatIsTooLarge) {  // R2
  relay.items_max = 100;
  const auto events = notes(1000, kToday - 1'000'000, 900);
  relay.add(events);
  keep({events.begin(), events.begin() + 400});
  const OneShotReport report = run();
  EXPECT_EQ(report.stored, 600U);
  EXPECT_EQ(report.already_here, 400U);
  EXPECT_GT(relay.opened, 10U);
  EXPECT_EQ(report.pages, 0U);
}

TEST_F(Syncing, SplitsItsOwnSetWhenThatIsTooLarge) {  // R2
  items_max = 100;
  const auto events = notes(150);
  keep(events);
  relay.add({event(3, 1, kToday - 60'000)});
  const OneShotReport report = run();
  EXPECT_EQ(report.stored, 1U);
  EXPECT_GE(relay.opened, 2U);
  EXPECT_EQ(report.peer_lacks, 150U);
}

TEST_F(Syncing, CountsWhatIsPromisedAndNotDelivered) {  // R4
  const auto events = notes(100);
  relay.add(events);
  relay.withheld = {events[5]->event.id};
  const OneShotReport report = run();
  EXPECT_EQ(report.undelivered, 1U);
  EXPECT_EQ(report.stored, 99U);
  EXPECT_EQ(exit_code(report), 1);
}

TEST_F(Syncing, AsksAgainForWhatCameForged) {  // R4
  const auto events = notes(10);
  relay.add(events);
  forged = {events[5]->event.id};
  const OneShotReport report = run();
  EXPECT_EQ(report.forged, 1U);
  EXPECT_EQ(report.stored, 10U);
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Syncing, DoesNotMindItsOwnRefusals) {
  const auto events = notes(10);
  relay.add(events);
  unwanted = {events[5]->event.id, events[6]->event.id};
  wish.filters.resize(2);  // twice the same
  const OneShotReport report = run();
  EXPECT_EQ(report.refused.at("blocked: x"), 2U);
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Syncing, SaysWhoItIsWhenAsked) {  // R6
  relay.wants_auth = true;
  relay.add(notes(50));
  EXPECT_EQ(run().stored, 50U);
  EXPECT_TRUE(relay.knows_us);
}

TEST_F(Syncing, IsIncompleteWhereItIsNotLetIn) {
  relay.wants_auth = true;
  relay.lets_in = false;
  relay.add(notes(50));
  const OneShotReport report = run();
  EXPECT_EQ(report.stored, 0U);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_FALSE(report.troubles.empty());
}

TEST_F(Syncing, GivesUpWhenNothingMoves) {  // R7
  relay.answers = false;
  wish.inactivity_limit = 3s;
  const OneShotReport report = run();
  EXPECT_EQ(report.end, OneShotReport::End::BrokenOff);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_GE(elapsed, 3s);
  EXPECT_LT(elapsed, 4s);
}

TEST_F(Syncing, GoesOnWithTheNextConnection) {  // R3
  for (const bool reconciles : {true, false}) {
    here = store::MemoryStore();
    relay.reconciles = reconciles;
    relay.add(notes(400));
    lost_after = 40;
    const OneShotReport report = run();
    EXPECT_EQ(size(), 400U);
    EXPECT_EQ(exit_code(report), 0);
  }
}

TEST_F(Syncing, StopsWhenToldAndWaitsForTheIntake) {
  relay.add(notes(50));
  start().connected(now());
  std::vector<nostr::Event> at_intake;
  while (at_intake.empty()) {
    for (const std::string& word : talk->take_words())
      for (nostr::RelayMessage& message : relay.hear(word)) talk->hear(now(), std::move(message));
    at_intake = talk->take_events();
  }
  talk->stop(now());
  EXPECT_FALSE(talk->finished());
  for (nostr::Event& one : at_intake) judge(std::move(one));
  EXPECT_TRUE(talk->finished());
  EXPECT_EQ(talk->final_report().stored, 50U);
  EXPECT_TRUE(talk->take_words().size() <= 1);
}

TEST_F(Syncing, EqualsTheUnionOfBothSides) {
  wish.up = true;
  const auto events = notes(900, kToday - 100'000, 7);
  std::vector<nostr::WireEventPtr> theirs, ours;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i % 3 != 0) theirs.push_back(events[i]);
    if (i % 5 != 0) ours.push_back(events[i]);
  }
  relay.add(theirs);
  keep(ours);
  relay.items_max = 150;
  run();
  const auto all = [](const store::MemoryStore& store) { return (*store.snapshot())->size(); };
  EXPECT_EQ(all(here), all(relay.store));
  EXPECT_EQ(all(here), 840U);
}

}  // namespace one_shot_sync_test
}  // namespace graspd::app
