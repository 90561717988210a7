#include "sync/reading_pauses.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace reading_pauses_test {

using namespace parts_testing;

TEST(ReadingPauses, KnowHowLongTheyWereAndSinceWhenWeAreBehind) {  // R1
  Bench bench;
  const core::UnixSeconds begun = bench.now.unix_seconds;
  bench.reading.pause(bench.now, false);
  bench.pass(10s);
  EXPECT_EQ(bench.reading.heard_until(bench.now), begun);
  EXPECT_EQ(bench.reading.resume(bench.now), 10s);
  EXPECT_EQ(bench.reading.resume(bench.now), std::nullopt);
  EXPECT_EQ(bench.memory.meter.paused_ms, 10'000u);
}

TEST(ReadingPauses, HoldARelayBackForAMoment) {  // R2
  Bench bench;
  const core::UnixSeconds begun = bench.now.unix_seconds;
  bench.reading.pause(bench.now, true);
  bench.pass(1s);
  bench.reading.resume(bench.now);
  EXPECT_TRUE(bench.reading.is_over_budget(bench.now));
  bench.pass(4s);
  bench.reading.pause(bench.now, true);  // so soon again: behind since the first
  EXPECT_EQ(bench.reading.heard_until(bench.now), begun);
  bench.reading.resume(bench.now);
  bench.pass(5s);
  EXPECT_FALSE(bench.reading.is_held_back(bench.now));
  EXPECT_EQ(bench.reading.heard_until(bench.now), bench.now.unix_seconds);
}

TEST(ReadingPauses, AreSaidOnce) {  // R3
  Bench bench;
  for (int i = 0; i < 3; ++i) {
    bench.reading.pause(bench.now, true);
    bench.reading.resume(bench.now);
  }
  EXPECT_EQ(bench.take<Log>().size(), 1u);
}

}  // namespace reading_pauses_test
}  // namespace graspd::sync
