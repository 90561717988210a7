#include "lmdb/gate.h"

#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace graspd::lmdb {
namespace gate_test {

constexpr core::Duration kNoPatience{0}, kPatience{60'000};

TEST(Gate, LetsWorkRunOnlyWhenNobodyIsInside) {
  Gate gate;
  bool ran = false;
  const auto work = [&] { ran = true; };
  {
    const Gate::Pass one(gate), two(gate);
    EXPECT_FALSE(gate.run_alone(kNoPatience, work));  // R2
    EXPECT_FALSE(ran);
  }
  EXPECT_TRUE(gate.run_alone(kNoPatience, work));
  EXPECT_TRUE(ran);
  const Gate::Pass after(gate);
}

TEST(Gate, OpensAgainWhenTheWorkFails) {
  Gate gate;
  EXPECT_THROW(gate.run_alone(kNoPatience, [] { throw 1; }), int);
  const Gate::Pass after(gate);
}

TEST(Gate, WaitsForThoseInsideToLeave) {  // R1
  Gate gate;
  std::optional<Gate::Pass> inside(std::in_place, gate);
  std::thread reader([&] { inside.reset(); });
  EXPECT_TRUE(gate.run_alone(kPatience, [] {}));
  reader.join();
  EXPECT_FALSE(inside);
}

}  // namespace gate_test
}  // namespace graspd::lmdb
