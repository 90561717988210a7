#include "net/alarm.h"

#include <gtest/gtest.h>

#include "net/clock.h"
#include "net/dialer_loop.h"
#include "net/later.h"

namespace graspd::net {
namespace alarm_test {

using namespace std::chrono_literals;

Task<int> ended(Task<void> a) {
  co_await std::move(a);
  co_return 0;
}

TEST(Alarm, RingsAtTheTimeSetLast) {
  std::vector<core::Instant> rings;
  core::Instant due;
  Alarm* self = nullptr;
  Alarm alarm([&] {
    rings.push_back(now().instant);
    self->stop();
  });
  self = &alarm;
  alarm.set(now().instant + 1h);
  due = now().instant + 20ms;
  alarm.set(due);
  run_to_end(ended(alarm.run()));
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_GE(rings[0], due);
}

TEST(Alarm, CanBeSetAgainFromItsRing) {
  int rings = 0;
  Alarm* self = nullptr;
  Alarm alarm([&] { ++rings < 3 ? self->set(now().instant + 1ms) : self->stop(); });
  self = &alarm;
  alarm.set(now().instant);
  run_to_end(ended(alarm.run()));
  EXPECT_EQ(rings, 3);
}

TEST(Alarm, ThatIsStoppedDoesNotRing) {
  Alarm alarm([] { FAIL(); });
  alarm.set(now().instant + 1h);
  alarm.stop();
  run_to_end(ended(alarm.run()));
}

}  // namespace alarm_test
}  // namespace graspd::net
