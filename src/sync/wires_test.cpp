#include "sync/wires.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace wires_test {

using namespace parts_testing;
using Purpose = Wire::Purpose;

TEST(Wires, KnowARequestUntilItIsTaken) {  // R1, R2
  Bench bench;
  const Sub sub = bench.open(Purpose::Page, {1, 2});
  EXPECT_EQ(bench.wires.find(Sub{sub.value + 1}), nullptr);
  bench.wires.close(sub);
  ASSERT_NE(bench.wires.find(sub), nullptr);  // what it brought may not be judged yet
  EXPECT_EQ(bench.wires.take(sub).job, (JobKey{1, 2}));
  EXPECT_EQ(bench.wires.find(sub), nullptr);
}

TEST(Wires, FreeASlotWithOurClose) {  // R3
  Bench bench;
  bench.peer.budget.slots = 2;
  const Sub first = bench.open(Purpose::Page);
  const Sub second = bench.reconcile();
  EXPECT_FALSE(bench.wires.has_slot());
  bench.wires.close(first);
  EXPECT_TRUE(bench.wires.has_slot());
  EXPECT_EQ(bench.wires.transients_open(), 0u);
  bench.wires.drop(second);
  EXPECT_EQ(bench.wires.open_count(), 0u);
  EXPECT_EQ(bench.take<NegClose>().size(), 1u);
}

TEST(Wires, SayCloseOnceForWhatIsDropped) {  // R2
  Bench bench;
  const Sub page = bench.open(Purpose::Page, {1, 0});
  const Sub other = bench.open(Purpose::Sweep, {2, 0});
  const Sub ids = bench.open(Purpose::Fetch, {});
  bench.wires.close(page);
  bench.wires.drop_batch(1);
  EXPECT_EQ(bench.take<Unsubscribe>().size(), 1u);
  EXPECT_EQ(bench.wires.find(page), nullptr);
  bench.wires.close_all();
  const auto closed = bench.take<Unsubscribe>();
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_EQ(closed[0].sub, other);
  EXPECT_EQ(closed[1].sub, ids);
}

TEST(Wires, WaitForATokenWhenTheBurstIsUsed) {  // R4
  Bench bench;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(bench.wires.take_token(bench.now));
  EXPECT_FALSE(bench.wires.waits_for_token());
  EXPECT_FALSE(bench.wires.take_token(bench.now));
  ASSERT_TRUE(bench.wires.token_at());
  bench.now.instant = *bench.wires.token_at();
  bench.wires.begin_turn();
  EXPECT_TRUE(bench.wires.take_token(bench.now));
}

TEST(Wires, NeedNoTokenTowardsOurOwnSoftware) {  // R4
  Bench bench;
  bench.memory.information = PeerInformation{.software = "https://example.org/graspd"};
  Wires wires(bench.peer, bench.authentication, bench.reading, bench.now);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(wires.take_token(bench.now));
}

TEST(Wires, AreLateWithoutABeginningAndWithoutProgress) {  // R5
  Bench bench;
  const Sub sub = bench.open(Purpose::Page);
  EXPECT_EQ(bench.wires.next_deadline(), bench.now.instant + 120s);
  bench.wires.find(sub)->heard = true;
  EXPECT_EQ(bench.wires.next_deadline(), bench.now.instant + 30s);
  bench.wires.find(sub)->unjudged = 1;  // our turn
  EXPECT_EQ(bench.wires.next_deadline(), std::nullopt);
  bench.wires.find(sub)->unjudged = 0;
  bench.pass(30s);
  EXPECT_EQ(bench.wires.late(bench.now), std::vector{sub});
}

TEST(Wires, AreLateLiveOnlyUntilTheRelayListens) {  // R5
  Bench bench;
  const Sub sub = bench.open(Purpose::Live);
  bench.pass(120s);
  EXPECT_EQ(bench.wires.late(bench.now), std::vector{sub});
  bench.wires.find(sub)->listens = true;
  EXPECT_TRUE(bench.wires.late(bench.now).empty());
}

TEST(Wires, AreNotLateWhileWeDoNotRead) {  // R5
  Bench bench;
  const Sub sub = bench.reconcile();
  bench.pass(5s);
  bench.reading.pause(bench.now, false);
  bench.pass(1h);
  EXPECT_TRUE(bench.wires.late(bench.now).empty());
  bench.wires.put_off(*bench.reading.resume(bench.now), bench.now);
  EXPECT_TRUE(bench.wires.late(bench.now).empty());
  bench.pass(5s);
  EXPECT_EQ(bench.wires.late(bench.now), std::vector{sub});
}

}  // namespace wires_test
}  // namespace graspd::sync
