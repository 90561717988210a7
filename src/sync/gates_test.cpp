#include "sync/gates.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace gates_test {

using namespace std::chrono_literals;
constexpr core::Instant kStart{1h};

TEST(DialGate, SpacesStartsAndStopsAtEight) {  // R1
  DialGate gate;
  core::Instant now = kStart;
  for (int i = 0; i < 8; ++i) {
    now = *gate.ready_at(now);
    gate.started(now);
  }
  EXPECT_EQ(now, kStart + 7 * 250ms);
  EXPECT_EQ(gate.ready_at(now), std::nullopt);
  gate.ended();
  EXPECT_EQ(gate.ready_at(now), now + 250ms);
}

TEST(DialGate, BlamesOurselvesWhenHalfOfTheGoodRelaysFail) {  // R2
  DialGate gate;
  gate.report(kStart, RelayId{1}, false);
  gate.report(kStart, RelayId{2}, false);
  EXPECT_FALSE(gate.fault_is_ours(kStart));
  gate.report(kStart, RelayId{3}, true);
  gate.report(kStart, RelayId{4}, true);
  EXPECT_TRUE(gate.fault_is_ours(kStart));
  gate.report(kStart, RelayId{5}, true);
  EXPECT_FALSE(gate.fault_is_ours(kStart));
  gate.report(kStart, RelayId{2}, true);
  EXPECT_FALSE(gate.fault_is_ours(kStart + 2min));
}

TEST(HistoryGate, LetsEightInAndTheOthersInTurn) {  // R3
  HistoryGate gate;
  for (std::uint32_t id = 0; id < 8; ++id) EXPECT_TRUE(gate.enter(RelayId{id}, kStart));
  EXPECT_FALSE(gate.enter(RelayId{8}, kStart));
  EXPECT_FALSE(gate.enter(RelayId{9}, kStart));
  EXPECT_EQ(gate.take_admitted(kStart), std::nullopt);
  gate.leave(RelayId{3});
  EXPECT_EQ(gate.take_admitted(kStart), RelayId{8});
  EXPECT_TRUE(gate.enter(RelayId{8}, kStart));
  EXPECT_FALSE(gate.enter(RelayId{3}, kStart));
}

TEST(HistoryGate, MakesTheSlowYield) {  // R4
  HistoryGate gate;
  for (std::uint32_t id = 0; id < 8; ++id) EXPECT_TRUE(gate.enter(RelayId{id}, kStart));
  EXPECT_TRUE(gate.enter(RelayId{0}, kStart + 2min));
  EXPECT_FALSE(gate.enter(RelayId{8}, kStart + 2min));
  EXPECT_FALSE(gate.enter(RelayId{0}, kStart + 2min));
  EXPECT_TRUE(gate.must_yield(RelayId{0}, kStart + 2min));
}

TEST(HistoryGate, PutsOutWhoNeverEndsWhatItStarted) {  // R5
  HistoryGate gate;
  for (std::uint32_t id = 0; id < 8; ++id) {
    EXPECT_TRUE(gate.enter(RelayId{id}, kStart + std::chrono::seconds(id)));
  }
  EXPECT_FALSE(gate.enter(RelayId{8}, kStart + 1min));
  EXPECT_EQ(gate.take_admitted(kStart + 119s), std::nullopt);
  EXPECT_EQ(gate.take_admitted(kStart + 120s), RelayId{8});
  EXPECT_FALSE(gate.enter(RelayId{0}, kStart + 121s));
  EXPECT_EQ(gate.take_admitted(kStart + 121s), RelayId{0});  // its next turn, at the cost of 1
  EXPECT_FALSE(gate.enter(RelayId{1}, kStart + 121s));
}

}  // namespace gates_test
}  // namespace graspd::sync
