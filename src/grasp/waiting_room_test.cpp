#include "grasp/waiting_room.h"

#include <gtest/gtest.h>
#include <random>

#include "store/test_events.h"

namespace graspd::grasp {
namespace {

using store::testing::event;
using Events = std::vector<nostr::WireEventPtr>;

nostr::WireEventPtr guest(std::uint32_t by, core::UnixSeconds at = 0, std::size_t size = 10) {
  return event(by, 1, at, {}, std::string(size, 'x'));
}

TEST(WaitingRoom, GivesAnEventOnceWhicheverOfItsKeysIsCalled) {  // R1
  WaitingRoom room;
  const auto one = guest(1), two = guest(2);
  room.admit(one, {"a", "b"}, 0);
  room.admit(two, {"b", "b"}, 0);
  EXPECT_EQ(room.call("c"), Events{});
  EXPECT_EQ(room.call("b"), (Events{one, two}));  // oldest first
  EXPECT_EQ(room.call("a"), Events{});
  EXPECT_EQ(room.size(), 0U);
  EXPECT_EQ(room.bytes(), 0U);
}

TEST(WaitingRoom, AdmitsAnEventOnceAndNobodyWithoutAKey) {
  WaitingRoom room;
  room.admit(guest(1), {"a"}, 0);
  room.admit(guest(1), {"b"}, 0);
  room.admit(guest(2), {}, 0);
  EXPECT_EQ(room.size(), 1U);
  EXPECT_EQ(room.call("b"), Events{});
}

TEST(WaitingRoom, KeepsAnAuthorWithinItsShare) {  // R2
  WaitingRoom room({.bytes_per_author_max = 4096});
  const auto other = guest(2);
  room.admit(other, {"k"}, 0);
  Events mine;
  for (core::UnixSeconds at = 0; at < 10; ++at) {
    mine.push_back(guest(1, at, 300));
    room.admit(mine.back(), {"k"}, at);
  }
  const Events left = room.call("k");
  ASSERT_LT(left.size(), 6U);
  EXPECT_EQ(left.front(), other);  // nobody else's loss
  EXPECT_EQ(left.back(), mine.back());
  EXPECT_EQ(left[1], mine[mine.size() - (left.size() - 1)]);  // the oldest went
}

TEST(WaitingRoom, KeepsEverybodyWithinTheWhole) {  // R2
  WaitingRoom room({.bytes_max = 8192});
  for (std::uint32_t who = 0; who < 100; ++who) {
    room.admit(guest(who, 0, 200), {"k"}, 0);
    EXPECT_LE(room.bytes(), 8192U);
  }
  EXPECT_GT(room.size(), 3U);
  EXPECT_EQ(room.call("k").back()->event.pubkey, store::testing::author(99));
}

TEST(WaitingRoom, LetsNobodyInWhoIsTooBigAlone) {
  WaitingRoom room({.bytes_per_author_max = 4096});
  const auto small = guest(1);
  room.admit(small, {"k"}, 0);
  room.admit(guest(1, 0, 5000), {"k"}, 0);
  EXPECT_EQ(room.call("k"), Events{small});
}

TEST(WaitingRoom, CountsKeys) {
  WaitingRoom room({.keys_per_event_max = 3});
  room.admit(guest(1), {"a", "b", "c", "d"}, 0);
  EXPECT_EQ(room.call("d"), Events{});
  EXPECT_EQ(room.call("c").size(), 1U);

  room.admit(guest(1), {"a"}, 0);
  const std::size_t one = room.bytes();
  room.admit(guest(2), {"a", "b"}, 0);
  EXPECT_GT(room.bytes(), 2 * one);
}

TEST(WaitingRoom, LosesPatience) {  // R3
  WaitingRoom room({.patience = 100});
  const auto late = guest(2);
  room.admit(guest(1), {"k"}, 0);
  room.admit(late, {"k"}, 50);
  room.expire(99);
  EXPECT_EQ(room.size(), 2U);
  room.expire(100);
  EXPECT_EQ(room.call("k"), Events{late});
}

TEST(WaitingRoom, IsEmptyAfterAnythingOnceAllAreCalled) {
  std::mt19937 random(1);
  WaitingRoom room({.bytes_max = 20'000, .bytes_per_author_max = 5'000, .patience = 50});
  const auto key = [&] { return std::string(1, static_cast<char>('a' + random() % 8)); };
  for (core::UnixSeconds now = 0; now < 2'000; ++now) {
    room.admit(guest(static_cast<std::uint32_t>(random() % 9), now, random() % 500), {key(), key()},
               now);
    if (random() % 5 == 0) room.call(key());
    if (random() % 9 == 0) room.expire(now);
    ASSERT_LE(room.bytes(), 20'000U);
  }
  for (char name = 'a'; name < 'i'; ++name) room.call(std::string(1, name));
  EXPECT_EQ(room.size(), 0U);
  EXPECT_EQ(room.bytes(), 0U);
}

}  // namespace
}  // namespace graspd::grasp
