#include "sync/rotation.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace rotation_test {

using namespace parts_testing;

const Group kGroup{slice(FilterClass::RootE, 2)};
const ReadValues kAll{{FilterClass::RootE, IdSet{0, 1}}};

struct Turning {
  NoHistory history;
  core::Now now{core::Instant(1h), 1'800'000'000};
  Rotation rotation{Options{}, history, now};
  Turning() { rotation.set({kGroup}); }
  void pass(core::Duration span) {
    now.instant += span;
    now.unix_seconds += span / 1s;
  }
};

TEST(Rotation, ReadsFromWhereTheLastWholeTurnBegan) {  // R1
  Turning one;
  const auto first = one.rotation.take_turn(one.now);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->window.since, one.now.unix_seconds - 900);
  const core::UnixSeconds started = one.now.unix_seconds;
  one.pass(59s);
  one.rotation.turn_ended(one.now, started, kAll);
  EXPECT_FALSE(one.rotation.take_turn(one.now));
  one.pass(1s);
  EXPECT_EQ(one.rotation.take_turn(one.now)->window.since, started - 900);
}

TEST(Rotation, TakesOneTurnAtATime) {  // R1
  Turning one;
  one.history.rotating = true;
  EXPECT_FALSE(one.rotation.take_turn(one.now));
}

TEST(Rotation, BeginsAnewWhenSomethingCameToIt) {  // R2
  Turning one;
  const auto first = one.rotation.take_turn(one.now);
  one.pass(5s);
  one.rotation.turn_ended(one.now, one.now.unix_seconds, {{FilterClass::RootE, IdSet{0}}});
  EXPECT_EQ(one.rotation.take_turn(one.now)->window.since, first->window.since);
}

TEST(Rotation, DropsATurnThatBeginsTooLate) {  // R3
  Turning one;
  one.rotation.move_back(one.now.unix_seconds);  // not earlier
  EXPECT_EQ(one.history.dropped, 0u);
  DarkClasses dark;
  dark.add(FilterClass::RepoA, one.now.unix_seconds - 100);
  one.rotation.missed(dark);  // nothing of it rotates
  EXPECT_EQ(one.history.dropped, 0u);
  dark.add(FilterClass::RootE, one.now.unix_seconds - 50);
  one.rotation.missed(dark);
  EXPECT_EQ(one.history.dropped, 1u);
  EXPECT_EQ(one.rotation.read_until(), one.now.unix_seconds - 50);
}

TEST(Rotation, IsLateAfterFiveMinutes) {  // R4
  Turning one;
  one.pass(5min);
  EXPECT_FALSE(one.rotation.is_late(one.now));
  one.pass(1s);
  EXPECT_TRUE(one.rotation.is_late(one.now));
  one.rotation.set({});
  EXPECT_FALSE(one.rotation.is_late(one.now));
}

}  // namespace rotation_test
}  // namespace graspd::sync
