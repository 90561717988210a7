#include "sync/history_reader.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace history_reader_test {

using namespace parts_testing;

struct Reader : Bench {
  NoTurns turns;
  HistoryReader history{peer, wires, refusals, turns, now};

  explicit Reader(bool negentropy = false) : Bench({.negentropy = negentropy}) {
    history.books().start_fresh(now, Source::Historic);
  }
  // The request that is sent next.
  Sub pump() {
    history.pump(now);
    return Sub{context.subs};
  }
  Wire end(Sub sub, nostr::Completeness completeness = nostr::Completeness::Unknown) {
    Wire* wire = wires.find(sub);
    wire->ended = wire->heard = true;
    wire->completeness = completeness;
    wires.close(sub);
    return wires.take(sub);
  }
  const Job& job() const { return history.batches().begin()->second.jobs.begin()->second; }
};

TEST(HistoryReader, IsDoneWithAFinishedPage) {  // R1
  Reader one;
  one.history.ended(one.now, one.end(one.pump(), nostr::Completeness::Finished));
  EXPECT_TRUE(one.history.batches().empty());
  EXPECT_TRUE(one.memory.announcements_synced);
}

TEST(HistoryReader, GoesOnBelowAPage) {  // R1
  Reader one;
  const Sub first = one.pump();
  for (std::uint32_t i = 0; i < 30; ++i) {
    const EventArrived in{one.memory.id, Session{7}, first, id(i), 1000 - i, 1, {}};
    EXPECT_TRUE(one.history.arrived(*one.wires.find(first), in));
    EXPECT_FALSE(one.history.arrived(*one.wires.find(first), in));
  }
  one.history.ended(one.now, one.end(first));
  EXPECT_NE(one.pump(), first);
  EXPECT_FALSE(one.memory.announcements_synced);
}

TEST(HistoryReader, TriesAFailedRequestAgainLater) {  // R2
  Reader one;
  const Sub sub = one.pump();
  one.pass(2min);
  one.history.timed_out(one.now, sub);
  EXPECT_EQ(one.job().phase, Job::Phase::Stuck);
  EXPECT_EQ(one.memory.meter.timeouts, 1u);
  Soonest due(one.now);
  one.history.add_due(due);
  ASSERT_TRUE(due.at());
  one.now.instant = *due.at();
  one.history.tick(one.now);
  EXPECT_NE(one.pump(), sub);
}

TEST(HistoryReader, AsksAgainAsTheRemedySays) {  // R3
  Reader one;
  const Wire wire = one.end(one.pump());
  one.history.refused(one.now, wire, Remedy::again(one.now.instant + 5s), "later");
  EXPECT_EQ(one.job().phase, Job::Phase::Ready);
  const Sub last{one.context.subs};
  EXPECT_EQ(one.pump(), last);
  one.pass(5s);
  EXPECT_NE(one.pump(), last);
}

TEST(HistoryReader, PagesWhoDoesNotReconcile) {  // R4
  Reader one(true);
  const Sub sub = one.pump();
  ASSERT_TRUE(one.wires.find(sub)->is_reconciliation());
  one.wires.find(sub)->sent = true;
  one.history.noticed(one.now, "what is NEG-OPEN?");
  EXPECT_EQ(one.job().method, Job::Method::Pages);
  EXPECT_EQ(one.wires.find(one.pump())->purpose, Wire::Purpose::Page);
}

TEST(HistoryReader, FetchesWhatAReconciliationFoundMissing) {  // R5
  Reader one(true);
  const Sub sub = one.pump();
  one.history.stepped(one.now, sub, {one.memory.id, Session{7}, sub, {id(1), id(2)}, true});
  EXPECT_EQ(one.wires.find(sub), nullptr);
  const Sub fetch = one.pump();
  EXPECT_EQ(one.wires.find(fetch)->ids.size(), 2u);
  one.history.delivered(one.now, id(1));
  EXPECT_FALSE(one.memory.announcements_synced);
  one.history.delivered(one.now, id(2));
  EXPECT_TRUE(one.memory.announcements_synced);
}

TEST(HistoryReader, SplitsASetThatIsTooLarge) {  // R3
  Reader one(true);
  const Sub sub = one.pump();
  const NegFailed failed{one.memory.id, Session{7},   sub, NegProblem::Refused, "",
                         1000,          1'700'000'000};
  one.history.reconciliation_refused(one.now, one.wires.take(sub), failed);
  const auto& jobs = one.history.batches().begin()->second.jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs.begin()->second.window.since, 1'700'000'001);
}

TEST(HistoryReader, LeavesWhatWasBegunToTheNextConnection) {
  Reader one;
  one.pump();
  one.history.interrupted();
  ASSERT_EQ(one.memory.interrupted.size(), 1u);
  EXPECT_TRUE(one.history.batches().empty());
}

}  // namespace history_reader_test
}  // namespace graspd::sync
