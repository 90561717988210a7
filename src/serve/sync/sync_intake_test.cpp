#include "serve/sync/sync_intake.h"

#include <future>
#include <gtest/gtest.h>

#include "net/clock.h"
#include "nostr/signature.h"
#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace sync_intake_test {

using nostr::Outcome;

nostr::Event signed_event(std::string content) {
  nostr::SecretKey::Bytes secret{};
  secret[31] = 7;
  nostr::Event event{
      .created_at = net::now().unix_seconds, .kind = {1}, .content = std::move(content)};
  nostr::Keypair::from(nostr::SecretKey(secret))->sign(event, {});
  return event;
}

nostr::Event forged(nostr::Event event) {
  auto bytes = event.sig.bytes();
  bytes[10] ^= 1;
  event.sig = nostr::Signature(bytes);
  return event;
}

struct Knowing : relay::OpenAcceptance {
  relay::Verdict decide(const nostr::WireEventPtr& event, const relay::Source&,
                        store::Changes&) override {
    if (event->event.content == "too many") return relay::Reject{"rate-limited: too many", true};
    return relay::Accept{};
  }
  bool knows(const nostr::EventId& id) const override { return known.contains(id); }
  std::set<nostr::EventId> known;
};

// A intake whose thread is the test's: what comes later and what was decided wait until asked for.
class Entrance {
 public:
  explicit Entrance(IngestOptions options = {})
      : ingest_(store, acceptance, *nostr::RelayUrl::parse("wss://us.example"), meters_, options,
                [this](CommitReport report) { committed(std::move(report)); }),
        intake({ingest_, store, acceptance,
                [this](std::function<void()> work) { later_.push_back(std::move(work)); },
                [this](const Ticket& ticket, Outcome outcome) {
                  outcomes.emplace_back(ticket.sub.value, outcome);
                }}) {}
  ~Entrance() { ingest_.stop(); }

  std::optional<Outcome> arrive(nostr::Event event, std::uint64_t sub) {
    return intake.arrive({{}, {}, sync::Sub{sub}, std::move(event), 100, nullptr});
  }
  // Until so many are judged.
  void settle(std::size_t count) {
    while (outcomes.size() < count) {
      while (!later_.empty()) {
        const auto work = std::move(later_.front());
        later_.pop_front();
        work();
      }
      std::unique_lock lock(mutex_);
      ASSERT_TRUE(decided_.wait_for(lock, std::chrono::seconds(10),
                                    [this] { return !decisions_.empty(); }));
      const std::vector<Decision> decisions = std::exchange(decisions_, {});
      lock.unlock();
      for (const Decision& decision : decisions) intake.decided(decision);
    }
  }
  bool has_space(std::size_t bytes) {
    const bool has = ingest_.reserve(bytes);
    if (has) ingest_.release(bytes);
    return has;
  }

  store::MemoryStore store;
  Knowing acceptance;
  std::vector<std::pair<std::uint64_t, Outcome>> outcomes;

 private:
  void committed(CommitReport report) {
    const std::lock_guard lock(mutex_);
    for (Decision& decision : report.decisions) decisions_.push_back(std::move(decision));
    decided_.notify_all();
  }

  Meters meters_;
  Ingest ingest_;
  std::deque<std::function<void()>> later_;
  std::mutex mutex_;
  std::condition_variable decided_;
  std::vector<Decision> decisions_;

 public:
  SyncIntake intake;
};

using Outcomes = std::vector<std::pair<std::uint64_t, Outcome>>;

TEST(SyncIntake, StoresWhatIsNewAndKnowsItAfterwards) {
  Entrance entrance;
  const nostr::Event event = signed_event("new");
  EXPECT_FALSE(entrance.arrive(event, 1));
  entrance.settle(1);
  EXPECT_EQ(entrance.outcomes, (Outcomes{{1, Outcome::Stored}}));
  EXPECT_EQ(entrance.arrive(event, 2), Outcome::Known);
}

TEST(SyncIntake, KnowsWhatIsHeldOrWasRefused) {
  Entrance entrance;
  const nostr::Event event = signed_event("waiting");
  entrance.acceptance.known.insert(event.id);
  EXPECT_EQ(entrance.arrive(event, 1), Outcome::Known);
}

TEST(SyncIntake, VerifiesOneOfSeveralCopiesThatComeTogether) {
  Entrance entrance({.backlog_bytes = 1'000});
  const nostr::Event event = signed_event("thrice");
  for (const std::uint64_t sub : {1, 2, 3}) EXPECT_FALSE(entrance.arrive(event, sub));
  entrance.settle(3);
  EXPECT_EQ(entrance.outcomes,
            (Outcomes{{1, Outcome::Stored}, {2, Outcome::Known}, {3, Outcome::Known}}));
  EXPECT_TRUE(entrance.has_space(1'000));
}

TEST(SyncIntake, TakesTheGenuineCopyBehindAForgedOne) {
  Entrance entrance;
  const nostr::Event event = signed_event("genuine");
  EXPECT_FALSE(entrance.arrive(forged(event), 1));
  EXPECT_FALSE(entrance.arrive(event, 2));
  entrance.settle(2);
  EXPECT_EQ(entrance.outcomes, (Outcomes{{1, Outcome::Forged}, {2, Outcome::Stored}}));
}

TEST(SyncIntake, DoesNotJudgeWhatItHasNoRoomFor) {
  Entrance entrance({.backlog_bytes = 150});
  EXPECT_FALSE(entrance.arrive(signed_event("first"), 1));
  EXPECT_EQ(entrance.arrive(signed_event("second"), 2), Outcome::Failed);
  entrance.settle(1);
  EXPECT_FALSE(entrance.arrive(signed_event("third"), 3));
  entrance.settle(2);
}

TEST(SyncIntake, TellsEveryCopyOfWhatThereIsNoSpaceForThatItMayComeAgain) {
  Entrance entrance;
  const auto event = signed_event("too many");
  EXPECT_FALSE(entrance.arrive(event, 1));
  EXPECT_FALSE(entrance.arrive(event, 2));
  entrance.settle(2);
  EXPECT_EQ(entrance.outcomes, (Outcomes{{1, Outcome::Postponed}, {2, Outcome::Postponed}}));
}

}  // namespace sync_intake_test
}  // namespace graspd::serve
