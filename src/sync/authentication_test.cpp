#include "sync/authentication.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace authentication_test {

using namespace parts_testing;

TEST(Authentication, SaysOnceWhoWeAre) {  // R1
  Bench bench;
  bench.authentication.ask(bench.now);
  bench.authentication.ask(bench.now);
  EXPECT_EQ(bench.take<Authenticate>().size(), 1u);
  EXPECT_TRUE(bench.authentication.is_pending());
}

TEST(Authentication, TakesSilenceForARefusalUntilAnAnswerComes) {  // R2
  Bench bench;
  bench.authentication.ask(bench.now);
  bench.pass(30s);
  bench.authentication.tick(bench.now);
  EXPECT_FALSE(bench.authentication.is_pending());
  EXPECT_TRUE(bench.authentication.answered(true));
  EXPECT_TRUE(bench.authentication.is_accepted());
}

TEST(Authentication, IsWorthAnotherTryUnlessTheRelayKnewUs) {  // R3
  Bench bench;
  EXPECT_TRUE(bench.authentication.helps(bench.now, false));
  EXPECT_FALSE(bench.authentication.answered(true));
  EXPECT_TRUE(bench.authentication.helps(bench.now, false));  // it was sent before
  EXPECT_FALSE(bench.authentication.helps(bench.now, true));
  bench.authentication.answered(false);
  EXPECT_FALSE(bench.authentication.helps(bench.now, false));
}

TEST(Authentication, IsNotLateForTheTimeInWhichWeDidNotRead) {  // R2
  Bench bench;
  bench.authentication.ask(bench.now);
  bench.pass(1min);
  bench.authentication.put_off(1min, bench.now);
  bench.authentication.tick(bench.now);
  EXPECT_TRUE(bench.authentication.is_pending());
}

}  // namespace authentication_test
}  // namespace graspd::sync
