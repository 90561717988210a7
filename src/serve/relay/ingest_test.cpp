#include "serve/relay/ingest.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <limits>

#include "net/clock.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace ingest_test {

nostr::Event signed_event(std::uint16_t kind, std::string content, nostr::Tags tags = {}) {
  nostr::SecretKey::Bytes secret{};
  secret[31] = 7;
  nostr::Event event{.created_at = net::now().unix_seconds,
                     .kind = {kind},
                     .tags = std::move(tags),
                     .content = std::move(content)};
  nostr::Keypair::from(nostr::SecretKey(secret))->sign(event, {});
  return event;
}

// Collects announcements; everything is there once stop() has returned.
struct Pipeline {
  explicit Pipeline(IngestOptions options = {}) {
    ingest.emplace(store, acceptance, *nostr::RelayUrl::parse("wss://relay.example"), meters,
                   options, [this](CommitReport report) {
                     std::lock_guard lock(mutex);
                     for (auto& decision : report.decisions)
                       decisions.push_back(std::move(decision));
                     for (auto& item : report.news) news.push_back(std::move(item));
                   });
  }

  bool submit(nostr::Event event, std::size_t bytes = 100,
              relay::Source::Intake intake = relay::Source::Intake::Client) {
    if (!ingest->reserve(bytes)) return false;
    std::vector<Submission> one;
    one.push_back({std::move(event), bytes, {intake}, {}});
    ingest->submit(std::move(one));
    return true;
  }

  struct Moody : relay::Acceptance {
    relay::Verdict decide(const nostr::WireEventPtr& wire, const relay::Source&,
                          store::Changes& changes) override {
      const nostr::Event& event = wire->event;
      order.push_back(event.content);
      if (event.content == "note") changes.push_back(store::Note{"key", "value"});
      if (event.content == "defer") return relay::Defer{};
      if (event.content == "reject") return relay::Reject{"blocked: no"};
      if (event.content == "hold") return relay::Hold{"purgatory: wait"};
      return relay::Accept{};
    }
    void settled(std::span<const relay::Settled> events) override {
      for (const auto& [event, outcome] : events) fates.push_back(outcome);
    }
    void committed() override { ++commits; }
    void failed() override { ++failures; }
    void proceed(const nostr::WireEventPtr&, const relay::Source&, relay::Answer answer) override {
      later = std::async(std::launch::async,
                         [answer] { answer({nostr::Outcome::Held, true, "looked it up"}); });
    }
    void refused(const nostr::WireEventPtr&, const relay::Source&, const relay::Refusal&,
                 store::Changes&) override {
      ++turned_away;
    }
    std::vector<std::string> order;
    int turned_away = 0, failures = 0, commits = 0;
    std::vector<std::optional<store::Outcome>> fates;
    std::future<void> later;
  };

  // Takes nothing while it is full.
  struct Disk : store::EventStore {
    using store::EventStore::write;
    core::Result<std::vector<store::Written>, store::StoreError> write(
        const store::Batch& batch, core::UnixSeconds now) override {
      if (is_full) return core::Failure{store::StoreError::DiskFull};
      return memory.write(batch, now);
    }
    core::Result<std::size_t, store::StoreError> remove_expired(core::UnixSeconds now,
                                                                std::size_t max) override {
      return memory.remove_expired(now, max);
    }
    core::Result<std::unique_ptr<store::Snapshot>, store::StoreError> snapshot() const override {
      return memory.snapshot();
    }
    store::Serial newest() const override { return memory.newest(); }

    store::MemoryStore memory;
    std::atomic<bool> is_full = false;
  };

  Disk store;
  Moody acceptance;
  Meters meters;
  std::mutex mutex;
  std::vector<Decision> decisions;
  std::vector<NewEvent> news;
  std::optional<Ingest> ingest;
};

TEST(Ingest, StoresAnnouncesAndAnswersWithAnEmptyText) {
  Pipeline pipeline;
  auto event = signed_event(1, "hello");
  ASSERT_TRUE(pipeline.submit(event));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 1u);
  EXPECT_TRUE(pipeline.decisions[0].accepted);
  EXPECT_EQ(pipeline.decisions[0].text, "");
  ASSERT_EQ(pipeline.news.size(), 1u);
  EXPECT_EQ(pipeline.news[0].event->json, nostr::to_json(event));
  EXPECT_TRUE((*pipeline.store.snapshot())->contains(event.id));
}

TEST(Ingest, DecidesEverythingSubmittedBeforeItStops) {  // R4
  Pipeline pipeline;
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(pipeline.submit(signed_event(1, std::to_string(i))));
  pipeline.ingest->stop();
  EXPECT_EQ(pipeline.decisions.size(), 500u);
  EXPECT_EQ(pipeline.news.size(), 500u);
  EXPECT_FALSE(pipeline.submit(signed_event(1, "late")));
  std::vector<Submission> reserved_before(1);
  pipeline.ingest->submit(std::move(reserved_before));
  ASSERT_EQ(pipeline.decisions.size(), 501u);
  EXPECT_EQ(pipeline.decisions.back().text, "error: the server is stopping");
}

TEST(Ingest, RefusesAForgedCopyEvenOfAKnownEvent) {  // R1
  Pipeline pipeline;
  auto event = signed_event(1, "genuine");
  std::vector<store::Write> known{
      {std::make_shared<nostr::WireEvent>(nostr::WireEvent{event, nostr::to_json(event)})}};
  ASSERT_TRUE(pipeline.store.write(known, net::now().unix_seconds));
  auto forged = event;
  forged.content = "forged";
  ASSERT_TRUE(pipeline.submit(forged));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 1u);
  EXPECT_FALSE(pipeline.decisions[0].accepted);
  EXPECT_EQ(pipeline.decisions[0].text.rfind("invalid: ", 0), 0u);
}

TEST(Ingest, KnowsADuplicateWithoutLookingAtItsSignature) {  // R1
  Pipeline pipeline;
  auto event = signed_event(1, "twice");
  std::vector<store::Write> known{
      {std::make_shared<nostr::WireEvent>(nostr::WireEvent{event, nostr::to_json(event)})}};
  ASSERT_TRUE(pipeline.store.write(known, net::now().unix_seconds));
  event.sig = {};
  ASSERT_TRUE(pipeline.submit(event));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 1u);
  EXPECT_TRUE(pipeline.decisions[0].accepted);
  EXPECT_EQ(pipeline.decisions[0].text, "duplicate: already have this event");
  EXPECT_EQ(pipeline.meters.duplicates_before_verification.value(), 1u);
}

TEST(Ingest, RefusesAWrongSignature) {
  Pipeline pipeline;
  auto event = signed_event(1, "x");
  event.sig = {};
  ASSERT_TRUE(pipeline.submit(event));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 1u);
  EXPECT_EQ(pipeline.decisions[0].text, "invalid: the signature is wrong");
  EXPECT_TRUE(pipeline.news.empty());
}

TEST(Ingest, DecidesInTheOrderOfArrivalHoweverManyVerify) {  // R6
  IngestOptions options;
  options.verify_threads = 4;
  options.verify_batch = 3;
  Pipeline pipeline(options);
  std::vector<std::string> sent;
  for (int i = 0; i < 300; ++i) {
    sent.push_back(std::to_string(i));
    ASSERT_TRUE(pipeline.submit(signed_event(1, sent.back())));
  }
  pipeline.ingest->stop();
  EXPECT_EQ(pipeline.acceptance.order, sent);
}

TEST(Ingest, WritesWhatADecisionNotesAndTellsWhatBecameOfIt) {
  Pipeline pipeline;
  ASSERT_TRUE(pipeline.submit(signed_event(1, "note")));
  pipeline.ingest->stop();
  std::string noted;
  ASSERT_TRUE((*pipeline.store.snapshot())->notes("key", [&](auto, auto value) { noted = value; }));
  EXPECT_EQ(noted, "value");
  ASSERT_EQ(pipeline.acceptance.fates.size(), 1u);
  EXPECT_EQ(pipeline.acceptance.fates[0], store::Outcome::Stored);
}

TEST(Ingest, TellsTheAcceptanceThatABatchWasNotWritten) {
  Pipeline pipeline;
  pipeline.store.is_full = true;
  for (const char* mood : {"note", "hold", "defer"})
    ASSERT_TRUE(pipeline.submit(signed_event(1, mood)));
  pipeline.ingest->stop();
  EXPECT_GE(pipeline.acceptance.failures, 1);
  EXPECT_TRUE(pipeline.acceptance.fates.empty());
  EXPECT_TRUE(pipeline.news.empty());
  EXPECT_EQ((*pipeline.store.snapshot())->size(), 0u);
}

TEST(Ingest, ServesAgainWhatComesBackWithAnAdmission) {  // R7
  Pipeline pipeline;
  const auto event = signed_event(1, "back");
  auto wire = std::make_shared<nostr::WireEvent>(nostr::WireEvent{event, nostr::to_json(event)});
  pipeline.ingest->admit({{}, {store::Restore{wire}}, nullptr});
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.news.size(), 1u);
  EXPECT_EQ(pipeline.news[0].event->event.id, event.id);
  EXPECT_TRUE((*pipeline.store.snapshot())->contains(event.id));
}

TEST(Ingest, WaitsForDeferredAnswersBeforeItStops) {  // R4
  Pipeline pipeline;
  ASSERT_TRUE(pipeline.submit(signed_event(1, "defer")));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 1u);
  EXPECT_EQ(pipeline.decisions[0].text, "looked it up");
  EXPECT_TRUE(pipeline.news.empty());
}

TEST(Ingest, TakesEventsThatWereDecidedElsewhere) {  // R7
  Pipeline pipeline;
  const auto event = signed_event(1, "released");
  auto wire = std::make_shared<nostr::WireEvent>(nostr::WireEvent{event, nostr::to_json(event)});
  std::promise<store::Outcome> fate;
  pipeline.ingest->admit({.events = {wire},
                          .changes = {store::Note{"released", "yes"}},
                          .done = [&](auto fates, bool durable) {
                            EXPECT_TRUE(durable);
                            fate.set_value(fates[0].outcome);
                          }});
  EXPECT_EQ(fate.get_future().get(), store::Outcome::Stored);
  pipeline.ingest->stop();
  EXPECT_EQ(pipeline.news.size(), 1u);
  EXPECT_TRUE(pipeline.decisions.empty());

  bool durable_after_the_end = true;
  pipeline.ingest->admit({.events = {wire},
                          .changes = {},
                          .prepare = [](store::Changes&) { ADD_FAILURE(); },
                          .done = [&](auto, bool durable) { durable_after_the_end = durable; }});
  EXPECT_FALSE(durable_after_the_end);
}

TEST(Ingest, R7_PreparesAdmissionsInTheOrderTheyCame) {
  Pipeline pipeline;
  std::string order;
  const auto admission = [&](const std::string& name) {
    return Admission{.events = {},
                     .changes = {},
                     .prepare =
                         [&order, name](store::Changes& changes) {
                           order += name;
                           changes.push_back(store::Note{"last", name});
                         },
                     .settled = [&order](auto) { order += "."; },
                     .done = [&order](auto, bool durable) { order += durable ? "!" : "?"; }};
  };
  for (const char* name : {"a", "b", "c"}) pipeline.ingest->admit(admission(name));
  pipeline.ingest->stop();
  std::string letters = order;
  std::erase_if(letters, [](char letter) { return letter < 'a'; });
  EXPECT_EQ(letters, "abc");
  EXPECT_EQ(std::ranges::count(order, '.'), 3);
  EXPECT_EQ(std::ranges::count(order, '!'), 3);
  std::string last;
  ASSERT_TRUE((*pipeline.store.snapshot())->notes("last", [&](auto, auto value) { last = value; }));
  EXPECT_EQ(last, "c");
}

TEST(Ingest, R7_WritesNothingOfAnAdmissionWhenTheTransactionFails) {
  Pipeline pipeline;
  pipeline.store.is_full = true;
  bool is_settled = false, is_durable = true;
  pipeline.ingest->admit(
      {.events = {},
       .changes = {},
       .prepare = [](store::Changes& to) { to.push_back(store::Note{"n", "1"}); },
       .settled = [&](auto) { is_settled = true; },
       .done = [&](auto, bool durable) { is_durable = durable; }});
  pipeline.ingest->stop();
  EXPECT_FALSE(is_settled);
  EXPECT_FALSE(is_durable);
  EXPECT_EQ(pipeline.acceptance.failures, 1);
  EXPECT_EQ(pipeline.acceptance.commits, 0);
}

TEST(Ingest, DoesAsThePolicySays) {
  Pipeline pipeline;
  ASSERT_TRUE(pipeline.submit(signed_event(1, "reject")));
  ASSERT_TRUE(pipeline.submit(signed_event(1, "hold")));
  pipeline.ingest->stop();
  std::map<std::string, bool> answers;
  for (const auto& decision : pipeline.decisions) answers[decision.text] = decision.accepted;
  EXPECT_EQ(answers,
            (std::map<std::string, bool>{{"blocked: no", false}, {"purgatory: wait", true}}));
  EXPECT_TRUE(pipeline.news.empty());
}

TEST(Ingest, PassesEphemeralEventsOnWithoutStoringThem) {
  Pipeline pipeline;
  auto event = signed_event(20'001, "now");
  ASSERT_TRUE(pipeline.submit(event));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.news.size(), 1u);
  EXPECT_EQ(pipeline.news[0].serial, 0u);
  EXPECT_FALSE((*pipeline.store.snapshot())->contains(event.id));
}

TEST(Ingest, MarksAVanishRequestOnlyWhenItNamesThisRelay) {
  Pipeline pipeline;
  auto note = signed_event(1, "note");
  ASSERT_TRUE(pipeline.submit(note));
  ASSERT_TRUE(pipeline.submit(signed_event(62, "", {{"relay", "wss://elsewhere.example"}})));
  pipeline.ingest->stop();
  EXPECT_TRUE((*pipeline.store.snapshot())->contains(note.id));

  Pipeline second;
  ASSERT_TRUE(second.submit(note));
  ASSERT_TRUE(second.submit(signed_event(62, "", {{"relay", "wss://relay.example/"}})));
  second.ingest->stop();
  EXPECT_FALSE((*second.store.snapshot())->contains(note.id));
}

TEST(Ingest, SaysNoWhenTheBacklogIsFull) {
  Pipeline pipeline({.backlog_bytes = 10});
  EXPECT_FALSE(pipeline.submit(signed_event(1, "big"), 11));
  EXPECT_TRUE(pipeline.submit(signed_event(1, "small"), 10));
}

TEST(Ingest, R8_TakesNothingToStoreWhileTheDiskIsLow) {
  IngestOptions options;
  options.disk = std::make_shared<const FreeDisk>(std::vector<std::filesystem::path>{"/tmp"},
                                                  std::numeric_limits<std::uint64_t>::max());
  Pipeline pipeline(options);
  pipeline.submit(signed_event(1, "stored"));
  pipeline.submit(signed_event(1, "synced"), 100, relay::Source::Intake::Sync);
  pipeline.submit(signed_event(20'001, "only passed on"));
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 3u);
  for (const Decision& decision : pipeline.decisions) {
    if (decision.accepted) continue;
    EXPECT_EQ(decision.outcome, nostr::Outcome::Failed);
    EXPECT_EQ(decision.text, "error: this server is low on disk space; try again later");
  }
  EXPECT_EQ(pipeline.news.size(), 1u);
  EXPECT_EQ((*pipeline.store.snapshot())->size(), 0u);
}

TEST(Ingest, R9_RefusesFromPeersWhatClientsAreRefused) {
  Pipeline pipeline;
  auto ahead = signed_event(1, "ahead");
  ahead.created_at += 10 * 365 * 86'400;
  nostr::SecretKey::Bytes secret{};
  secret[31] = 7;
  nostr::Keypair::from(nostr::SecretKey(secret))->sign(ahead, {});
  for (const nostr::Event& event :
       {ahead, signed_event(1, "", {{"-"}}), signed_event(1, std::string(300'000, 'x')),
        signed_event(1, "", {{"expiration", "1"}}), signed_event(22'242, "")})
    pipeline.submit(event, 100, relay::Source::Intake::Sync);
  pipeline.ingest->stop();
  ASSERT_EQ(pipeline.decisions.size(), 5u);
  for (const Decision& decision : pipeline.decisions)
    EXPECT_EQ(decision.outcome, nostr::Outcome::Refused);
  EXPECT_TRUE(pipeline.acceptance.order.empty());
  EXPECT_EQ(pipeline.acceptance.turned_away, 5);
  EXPECT_EQ((*pipeline.store.snapshot())->size(), 0u);
}

}  // namespace ingest_test
}  // namespace graspd::serve
