#include "sync/answer_trust.h"

#include "gtest/gtest.h"
#include "sync/history_testing.h"

namespace graspd::sync {
namespace answer_trust_test {

using namespace parts_testing;

struct Doubtful : HistoryBench {
  Doubtful() {
    for (std::uint32_t i = 0; i < 10; ++i) trust.remember_given(id(i));
    memory.answers.saw(5);
    memory.answers.trust(5, now.instant);
  }
  Wire probe() {
    EXPECT_TRUE(trust.send_probe(now));
    Wire wire = wires.take(take<Subscribe>().at(0).sub);
    wire.ended = true;
    return wire;
  }
};

TEST(AnswerTrust, AsksByIdForMoreThanTheRelayEverGave) {  // R1
  Doubtful one;
  EXPECT_TRUE(one.trust.is_open());
  Wire wire = one.probe();
  EXPECT_EQ(wire.ids.size(), 10u);
  wire.delivered = 10;
  wire.ids.clear();
  one.trust.probe_ended(one.now, wire);
  EXPECT_FALSE(one.trust.is_open());
  EXPECT_FALSE(one.trust.send_probe(one.now));
}

TEST(AnswerTrust, AsksARelayThatSendsStraysForTheFewIdsItIsKnownToHave) {  // R1
  HistoryBench bench;
  for (std::uint32_t i = 0; i < 2; ++i) bench.trust.remember_given(id(i));
  bench.memory.answers.saw(1);
  bench.memory.answers.trust(1, bench.now.instant);
  bench.memory.answers.strays = true;
  ASSERT_TRUE(bench.trust.send_probe(bench.now));
  Wire wire = bench.wires.take(bench.take<Subscribe>().at(0).sub);
  wire.ended = true;
  wire.delivered = 2;
  wire.ids.clear();
  bench.trust.probe_ended(bench.now, wire);
  bench.pass(65s);
  EXPECT_FALSE(bench.trust.send_probe(bench.now)) << "it gave all that can be asked for";
}

TEST(AnswerTrust, ReadsAllAgainAfterAWhileWhereNothingCanBeAsked) {  // R1
  HistoryBench bench;
  bench.memory.answers.saw(5);
  bench.memory.answers.trust(5, bench.now.instant);
  EXPECT_FALSE(bench.trust.send_probe(bench.now));
  bench.trust.plan_recheck(bench.now);
  bench.pass(59min);
  EXPECT_FALSE(bench.trust.is_reread_due(bench.now));
  bench.pass(1min);
  EXPECT_TRUE(bench.trust.is_reread_due(bench.now));
  bench.trust.plan_recheck(bench.now);
  EXPECT_EQ(bench.memory.recheck_at, bench.now.instant + 2h);
}

TEST(AnswerTrust, ReadsAtOnceAndThenLaterWhatWasTrustedInVain) {  // R2
  HistoryBench bench;
  const auto mislead = [&] {
    bench.memory.answers.holds_back_at(5);
    bench.memory.answers.trust(5, bench.now.instant);
    bench.memory.reread_at.reset();
    bench.trust.check(bench.now);
  };
  mislead();
  EXPECT_TRUE(bench.trust.is_reread_due(bench.now));
  mislead();
  EXPECT_EQ(bench.memory.reread_at, bench.now.instant + 65s);
  mislead();
  EXPECT_EQ(bench.memory.reread_at, bench.now.instant + 130s);
}

TEST(AnswerTrust, ReadsAgainWhatOnlyAMuchLaterAnswerVouchesFor) {  // R4
  HistoryBench bench;
  const auto small_answer = [&] {
    bench.memory.answers.saw(1);
    bench.memory.answers.trust(1, bench.now.instant);
  };
  small_answer();
  bench.pass(5min);
  bench.trust.gave(bench.now, 2);
  EXPECT_FALSE(bench.trust.is_reread_due(bench.now)) << "soon enough";
  small_answer();
  bench.trust.check(bench.now);
  EXPECT_FALSE(bench.trust.is_reread_due(bench.now)) << "it gave more before";
  bench.memory.answers.trust(3, bench.now.instant);
  bench.pass(6min);
  bench.trust.gave(bench.now, 4);
  EXPECT_TRUE(bench.trust.is_reread_due(bench.now));
}

TEST(AnswerTrust, TellsHoldingBackFromHavingLost) {  // R3
  Doubtful one;
  Wire first = one.probe();
  first.delivered = 6;
  for (std::uint32_t i = 0; i < 6; ++i) first.ids.erase(id(i));
  one.trust.probe_ended(one.now, first);
  Wire second = one.probe();
  EXPECT_EQ(second.ids.size(), 4u);
  second.delivered = 4;
  second.ids.clear();
  one.trust.probe_ended(one.now, second);
  EXPECT_TRUE(one.memory.answers.is_cap);
}

TEST(AnswerTrust, ForgetsWhatTheRelayDoesNotHaveAnyMore) {  // R3
  Doubtful one;
  one.trust.probe_ended(one.now, one.probe());  // nothing came
  EXPECT_TRUE(one.memory.given.empty());
  EXPECT_FALSE(one.memory.answers.is_cap);
}

}  // namespace answer_trust_test
}  // namespace graspd::sync
