#include "grasp/verification.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace verification_test {

using namespace std::chrono_literals;
using testing::coordinate;
using Kind = VerificationTask::Kind;

Ruling ruling(std::uint8_t number, bool waiting = false) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = number;
  return {{testing::kStart + number, nostr::EventId(bytes)}, waiting};
}

const git::Fingerprint kData{1, 1, {10, 20}};

Looked well(std::uint8_t state = 1) { return {.ruling = ruling(state), .made_from = kData}; }
Looked broken(std::uint8_t state = 1) {
  return {.ruling = ruling(state), .problem = "objects are missing", .made_from = kData};
}

// A round with its own clock.
class Round {
 public:
  explicit Round(VerificationOptions options = {.compares = false}, std::uint64_t seed = 1)
      : plan(options, core::Rng(seed)) {}

  void pass(core::Duration time) {
    now.instant += time;
    now.unix_seconds = testing::kStart + (now.instant - core::Instant()) / 1s;
  }
  // The repository that is begun, if any.
  std::optional<Coordinate> begin(Kind kind = Kind::Look) {
    const auto task = plan.begin(now);
    if (!task) return std::nullopt;
    EXPECT_EQ(task->kind, kind);
    return task->repo;
  }
  void look(const Looked& look, core::Duration took = 0ms) {
    ASSERT_TRUE(begin());
    pass(took);
    plan.looked(now, look);
  }
  CheckNews check(const Checked& check, std::uint32_t owner = 1) {
    return plan.checked(now, coordinate(owner), check);
  }
  GitHealth health(std::uint32_t owner = 1) const { return *plan.find(coordinate(owner)); }

  core::Now now{core::Instant(), testing::kStart};
  Verifications plan;
};

TEST(Verifications, LookAtWhatIsNewAtOnce) {  // R1
  Round round;
  EXPECT_FALSE(round.begin());
  round.plan.list(round.now, coordinate(1), ruling(1));
  EXPECT_EQ(round.begin(), coordinate(1));
}

TEST(Verifications, NameThoseInTrouble) {
  Round round;
  for (std::uint8_t i = 1; i <= 3; ++i) round.plan.list(round.now, coordinate(i), ruling(1));
  round.look(well());
  EXPECT_TRUE(round.plan.troubles(10).empty());
  round.look(broken());
  Looked behind = well();
  behind.behind = "a newer state waits";
  round.look(behind);
  const auto troubles = round.plan.troubles(10);
  ASSERT_EQ(troubles.size(), 2u);
  for (const auto& [repo, health] : troubles)
    EXPECT_NE(health.is_broken(), !health.behind.empty()) << repo.path();
  EXPECT_EQ(round.plan.troubles(1).size(), 1u);
}

TEST(Verifications, LookAgainOnceInAnIntervalAndNotMuchSooner) {  // R1
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well());
  round.plan.list(round.now, coordinate(1), ruling(1));  // nothing new
  round.pass(20h);
  EXPECT_FALSE(round.begin());
  round.pass(4h);
  EXPECT_TRUE(round.begin());
}

TEST(Verifications, LookAtWhatChangedAtOnce) {  // R1
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well());
  round.plan.list(round.now, coordinate(1), ruling(2, true));  // a newer state waits
  round.look({.ruling = ruling(2, true), .behind = "waits"});
  round.plan.list(round.now, coordinate(1), ruling(2));  // its data came
  round.look(well(2));
  EXPECT_FALSE(round.begin());
}

TEST(Verifications, AreSpreadOverTheIntervalAfterAWhile) {  // R1
  Round round;
  for (std::uint32_t i = 1; i <= 50; ++i) round.plan.list(round.now, coordinate(i), ruling(1));
  for (int i = 0; i < 50; ++i) round.look(well());
  std::set<core::Instant> times;
  for (int i = 0; i < 50; ++i) {
    round.pass(*round.plan.next_at() - round.now.instant);
    times.insert(round.now.instant);
    round.look(well());
  }
  EXPECT_GT(times.size(), 40U);
}

TEST(Verifications, DoOneThingAtATime) {  // R2
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.plan.list(round.now, coordinate(2), ruling(1));
  EXPECT_TRUE(round.begin());
  EXPECT_FALSE(round.begin());
  round.plan.looked(round.now, well());
  EXPECT_TRUE(round.begin());
}

TEST(Verifications, KnowSyncedFromVerified) {
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  EXPECT_FALSE(round.health().is_synced() || round.health().is_verified());
  round.look(well());
  EXPECT_TRUE(round.health().is_synced() && round.health().is_verified());
  round.pass(24h);
  round.look(broken());
  EXPECT_TRUE(round.health().is_synced());
  EXPECT_FALSE(round.health().is_verified());
  EXPECT_EQ(round.health().verified_at, testing::kStart);  // the last time it was so
  EXPECT_EQ(round.health().synced_at, testing::kStart + 24 * 3600);
  round.plan.list(round.now, coordinate(1), ruling(2, true));
  round.look(
      {.ruling = ruling(2, true), .behind = "a newer state waits", .made_from = well().made_from});
  EXPECT_FALSE(round.health().is_synced());
  EXPECT_TRUE(round.health().is_verified());
}

TEST(Verifications, ForgetWhatGoesWhileItIsLookedAt) {
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  ASSERT_TRUE(round.plan.begin(round.now));
  round.plan.keep_only({});
  round.plan.looked(round.now, well());  // it comes too late to be of use
  EXPECT_FALSE(round.plan.find(coordinate(1)));
  EXPECT_FALSE(round.plan.begin(round.now));
}

TEST(Verifications, LookAtWhatIsBrokenAgainSoon) {  // R3
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(broken());
  round.pass(1h);
  round.look(well());
  round.pass(1h);
  EXPECT_FALSE(round.begin());
  EXPECT_EQ(round.plan.meter().repairs, 1U);
}

TEST(Verifications, LookAtWhatIsBrokenAtOnceWhenSomethingWasDoneToIt) {  // R3
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well());
  round.plan.stirred(round.now, coordinate(1));
  EXPECT_FALSE(round.begin());  // it is well
  round.pass(24h);
  round.look(broken());
  round.plan.stirred(round.now, coordinate(1));
  EXPECT_EQ(round.begin(), coordinate(1));
  round.plan.stirred(round.now, coordinate(1));  // the look may have come too early
  round.plan.looked(round.now, broken());
  EXPECT_EQ(round.begin(), coordinate(1));
  round.plan.looked(round.now, broken());
  EXPECT_FALSE(round.begin());
}

TEST(Verifications, TakeOnlyAPartOfTheTimeForWhatChangesAlways) {  // R4
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well(), 60s);
  round.plan.list(round.now, coordinate(1), ruling(2));
  round.pass(19min);
  EXPECT_FALSE(round.begin());
  round.pass(1min);
  EXPECT_TRUE(round.begin());
}

TEST(Verifications, LookAgainWhenItChangedMeanwhile) {
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  EXPECT_TRUE(round.begin());
  round.plan.list(round.now, coordinate(1), ruling(2));
  EXPECT_FALSE(round.begin());
  round.plan.looked(round.now, well(1));
  EXPECT_TRUE(round.begin());
}

TEST(Verifications, CompareWithPeersOnceInAnIntervalAndAtAPace) {  // R5
  Round round({.interval = 1h, .comparison_pause = 10s});
  for (std::uint32_t i = 1; i <= 20; ++i) {
    round.plan.list(round.now, coordinate(i), ruling(1));
    round.look(well());
  }
  std::map<Coordinate, int> times;
  std::optional<core::Instant> last;
  for (int step = 0; step < 400; ++step) {
    round.pass(10s);
    while (const auto task = round.plan.begin(round.now)) {
      if (task->kind == Kind::Look) {
        round.plan.looked(round.now, well());
        continue;
      }
      EXPECT_TRUE(!last || round.now.instant - *last >= 10s);
      last = round.now.instant;
      ++times[task->repo];
      round.plan.compared(round.now, {"https://peer.example/", round.now.unix_seconds, ""});
    }
  }
  EXPECT_EQ(times.size(), 20U);
  for (const auto& [repo, count] : times) EXPECT_LE(count, 2);
  EXPECT_EQ(round.health().compared->url, "https://peer.example/");
}

TEST(Verifications, CountAndTellOfDifferences) {  // R5
  Round round({.interval = 1s});
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well());
  round.pass(1s);
  for (int i = 0; i < 3; ++i) {
    const auto task = round.plan.begin(round.now);
    if (!task) break;
    if (task->kind == Kind::Look)
      round.plan.looked(round.now, well());
    else
      round.plan.compared(round.now, {"https://peer.example/", 7, "refs/heads/main is missing"});
  }
  EXPECT_EQ(round.plan.meter().differences, 1U);
  EXPECT_EQ(round.health().compared->difference, "refs/heads/main is missing");
  EXPECT_TRUE(round.health().is_verified());  // of ours it says nothing
}

TEST(Verifications, AreRememberedOverRestarts) {  // R6
  Round round;
  for (std::uint32_t i = 1; i <= 2; ++i) round.plan.list(round.now, coordinate(i), ruling(1));
  round.look(well());
  round.pass(10s);
  round.look(broken());
  Round next;
  next.now = round.now;
  next.pass(10min);
  for (const store::Note& note : round.plan.take_notes())
    next.plan.restore(*parse_verification(note.key, *note.value));
  for (std::uint32_t i = 1; i <= 2; ++i) {
    next.plan.list(next.now, coordinate(i), ruling(1));
    EXPECT_FALSE(next.health(i).is_verified());  // R7
    next.check({.made_of = kData}, i);
    EXPECT_EQ(next.health(i).verified_at, round.health(i).verified_at);
    EXPECT_EQ(next.health(i).problem, round.health(i).problem);
  }
  EXPECT_FALSE(next.begin());
  next.pass(1h);
  EXPECT_EQ(next.begin(), coordinate(2));
}

TEST(Verifications, LookAtOnceAtWhatChangedWhileNobodyRan) {  // R6
  Round round;
  round.plan.list(round.now, coordinate(1), ruling(1));
  round.look(well());
  Round next;
  for (const store::Note& note : round.plan.take_notes())
    next.plan.restore(*parse_verification(note.key, *note.value));
  next.plan.list(next.now, coordinate(1), ruling(2));
  EXPECT_TRUE(next.begin());
}

TEST(Verifications, ForgetWhatIsGone) {  // R6
  Round round;
  for (std::uint32_t i = 1; i <= 3; ++i) round.plan.list(round.now, coordinate(i), ruling(1));
  round.plan.restore({coordinate(4), {}});
  EXPECT_EQ(round.begin(), coordinate(1));
  round.plan.keep_only({coordinate(2)});
  EXPECT_EQ(round.plan.repos(coordinate(1).identifier), std::vector{coordinate(2)});
  std::set<std::string> erased;
  for (const store::Note& note : round.plan.take_notes())
    if (!note.value) erased.insert(note.key);
  EXPECT_EQ(erased.size(), 3U);
  EXPECT_EQ(round.begin(), coordinate(2));
}

TEST(Verifications, AreCounted) {
  Round round;
  for (std::uint32_t i = 1; i <= 4; ++i) round.plan.list(round.now, coordinate(i), ruling(1));
  round.look(well());
  round.look(broken());
  round.look({.ruling = ruling(1), .declares = false});  // nothing to look at
  const auto totals = round.plan.totals();
  EXPECT_EQ(totals.verified, 1U);
  EXPECT_EQ(totals.broken, 1U);
  EXPECT_EQ(totals.unverified, 1U);
  EXPECT_EQ(totals.synced, 2U);
  EXPECT_EQ(totals.unsynced, 1U);
  EXPECT_EQ(totals.oldest, testing::kStart);
  EXPECT_EQ(round.plan.meter().failures, 1U);
}

TEST(Verifications, StarveNobody) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Round round({.interval = 1h, .compares = true}, seed);
    core::Rng rng(seed);
    constexpr std::uint32_t kAll = 30;
    std::map<Coordinate, core::Instant> last;
    std::map<Coordinate, std::uint8_t> states;
    for (std::uint32_t i = 1; i <= kAll; ++i) {
      round.plan.list(round.now, coordinate(i), ruling(states[coordinate(i)] = 1));
      last[coordinate(i)] = round.now.instant;
    }
    for (int step = 0; step < 5'000; ++step) {
      round.pass(core::Duration(1'000 * rng.below(20)));
      const auto busy = coordinate(1 + static_cast<std::uint32_t>(rng.below(5)));  // always changes
      round.plan.list(round.now, busy, ruling(++states[busy]));
      const auto task = round.plan.begin(round.now);
      if (!task) continue;
      round.pass(core::Duration(rng.below(2'000)));
      if (task->kind == Kind::Compare) {
        round.plan.not_compared(round.now, true);
        continue;
      }
      last[task->repo] = round.now.instant;
      const auto state = states[task->repo];
      round.plan.looked(round.now, rng.one_in(10) ? broken(state) : well(state));
    }
    for (const auto& [repo, at] : last) EXPECT_LT(round.now.instant - at, 2h) << repo.path();
  }
}

}  // namespace verification_test
}  // namespace graspd::grasp
