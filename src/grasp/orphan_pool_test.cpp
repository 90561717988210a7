#include "grasp/orphan_pool.h"

#include <gtest/gtest.h>
#include <random>

#include "grasp/note_testing.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace orphan_pool_test {

using store::testing::event;
using Events = std::vector<nostr::WireEventPtr>;
using Keys = std::vector<std::string>;

nostr::WireEventPtr orphan(std::uint32_t by, core::UnixSeconds at = 0, std::size_t size = 10) {
  return event(by, 1, at, {}, std::string(size, 'x'));
}

// A space with a book beside it, in which its notes are kept.
struct Hotel {
  explicit Hotel(OrphanPoolLimits with = {}) : limits(with), space(with) {}

  void admit(const nostr::WireEventPtr& event, const Keys& keys, core::UnixSeconds now = 0) {
    testing::NewNotes notes(book);
    space.admit({event, {}, now, keys}, notes);
  }
  void leave(const nostr::WireEventPtr& event) {
    testing::NewNotes notes(book);
    space.leave(event->event.id, notes);
  }
  void expire(core::UnixSeconds now) {
    testing::NewNotes notes(book);
    space.expire(now, notes);
  }
  // Those who are called, and leave.
  Events call(const std::string& key) {
    space.call(key);
    Events called = take();
    for (const auto& event : called) leave(event);
    return called;
  }
  Events take(std::size_t max = 1'000) {
    Events called;
    for (const Retry& retry : space.take_called(max)) called.push_back(retry.event);
    return called;
  }
  void restart() {
    space = OrphanPool(limits);
    testing::NewNotes notes(book);
    for (const auto& [key, value] : testing::Book(book))
      EXPECT_TRUE(space.restore(key, value, notes));
  }

  testing::Book book;
  OrphanPoolLimits limits;
  OrphanPool space;
};

TEST(OrphanPool, GivesAnEventOnceWhicheverOfItsKeysIsCalled) {  // R1
  Hotel hotel;
  const auto one = orphan(1), two = orphan(2);
  hotel.admit(one, {"a", "b"});
  hotel.admit(two, {"b", "b"});
  EXPECT_EQ(hotel.call("c"), Events{});
  hotel.space.call("a");
  hotel.space.call("b");
  EXPECT_EQ(hotel.call("b"), (Events{one, two}));  // oldest first
  EXPECT_EQ(hotel.call("a"), Events{});
  EXPECT_EQ(hotel.space.size(), 0U);
  EXPECT_EQ(hotel.space.bytes(), 0U);
  EXPECT_TRUE(hotel.book.empty());
}

TEST(OrphanPool, AdmitsAnEventOnceAndNobodyWithoutAKey) {
  Hotel hotel;
  hotel.admit(orphan(1), {"a"});
  hotel.admit(orphan(1), {"b"});
  hotel.admit(orphan(2), {});
  EXPECT_EQ(hotel.space.size(), 1U);
  EXPECT_EQ(hotel.call("b"), Events{});
}

TEST(OrphanPool, KeepsTheSeatOfWhoIsTriedAgainUntilTheDecision) {  // R4
  Hotel hotel;
  const auto one = orphan(1);
  hotel.admit(one, {"a"}, 5);
  EXPECT_TRUE(hotel.space.is_waiting(one->event.id));
  hotel.space.call("a");
  EXPECT_EQ(hotel.take(), Events{one});
  EXPECT_TRUE(hotel.space.contains(one->event.id));
  EXPECT_FALSE(hotel.space.is_waiting(one->event.id));
  hotel.space.call("a");
  EXPECT_EQ(hotel.take(), Events{});  // on the way
  hotel.space.call_again(one->event.id);
  EXPECT_EQ(hotel.take(), Events{one});
  hotel.admit(one, {"a"}, 50);  // refused again
  EXPECT_TRUE(hotel.space.is_waiting(one->event.id));
  hotel.expire(5 + hotel.limits.patience);  // R3
  EXPECT_EQ(hotel.space.size(), 0U);
}

TEST(OrphanPool, GivesManyInParts) {
  Hotel hotel;
  Events all;
  for (std::uint32_t who = 0; who < 10; ++who) {
    all.push_back(orphan(who));
    hotel.admit(all.back(), {"k"});
  }
  hotel.space.call("k");
  EXPECT_EQ(hotel.take(4), Events(all.begin(), all.begin() + 4));
  hotel.admit(all[0], {"k"});  // in vain: not tried for ever
  EXPECT_EQ(hotel.take(4), Events(all.begin() + 4, all.begin() + 8));
  EXPECT_EQ(hotel.take(4), Events(all.begin() + 8, all.end()));
  EXPECT_EQ(hotel.take(4), Events{});
}

TEST(OrphanPool, KeepsAnAuthorWithinItsShare) {  // R2
  for (const auto& limits : {OrphanPoolLimits{.bytes_max = 16'384, .authors_min = 4},
                             OrphanPoolLimits{.events_max = 16, .authors_min = 4}}) {
    Hotel hotel(limits);
    const auto other = orphan(2);
    hotel.admit(other, {"k"});
    Events mine;
    for (core::UnixSeconds at = 0; at < 12; ++at) {
      mine.push_back(orphan(1, at, 600));
      hotel.admit(mine.back(), {"k"}, at);
    }
    const Events left = hotel.call("k");
    ASSERT_LT(left.size(), 7U);
    ASSERT_GT(left.size(), 3U);
    EXPECT_EQ(left.front(), other);  // nobody else's loss
    EXPECT_EQ(left.back(), mine.back());
    EXPECT_EQ(left[1], mine[mine.size() - (left.size() - 1)]);  // the oldest went
  }
}

TEST(OrphanPool, KeepsEverybodyWithinTheWhole) {  // R2
  Hotel small({.bytes_max = 8'192, .authors_min = 2}), few({.events_max = 10});
  for (std::uint32_t who = 0; who < 100; ++who) {
    small.admit(orphan(who, 0, 200), {"k"});
    few.admit(orphan(who), {"k"});
    EXPECT_LE(small.space.bytes(), 8'192U);
    EXPECT_LE(few.space.size(), 10U);
  }
  EXPECT_GT(small.space.size(), 3U);
  EXPECT_EQ(small.call("k").back()->event.pubkey, store::testing::author(99));
  EXPECT_EQ(few.book.size(), 10U);
}

TEST(OrphanPool, LetsNobodyInWhoIsTooBig) {
  Hotel hotel;
  const auto small = orphan(1, 0, 120 * 1024);
  hotel.admit(small, {"k"});
  hotel.admit(orphan(1, 0, 130 * 1024), {"k"});
  EXPECT_EQ(hotel.call("k"), Events{small});
}

TEST(OrphanPool, CountsKeys) {
  Hotel hotel({.keys_per_event_max = 3});
  hotel.admit(orphan(1), {"a", "b", "c", "d"});
  EXPECT_EQ(hotel.call("d"), Events{});
  EXPECT_EQ(hotel.call("c").size(), 1U);

  hotel.admit(orphan(1), {"a"});
  const std::size_t one = hotel.space.bytes();
  hotel.admit(orphan(2), {"a", "b"});
  EXPECT_GT(hotel.space.bytes(), 2 * one);
}

TEST(OrphanPool, LosesPatience) {  // R3
  Hotel hotel({.patience = 100});
  const auto late = orphan(2);
  hotel.admit(orphan(1), {"k"}, 0);
  hotel.admit(late, {"k"}, 50);
  hotel.expire(99);
  EXPECT_EQ(hotel.space.size(), 2U);
  hotel.expire(100);
  EXPECT_EQ(hotel.space.expired()[2], 1U);
  EXPECT_EQ(hotel.call("k"), Events{late});
}

TEST(OrphanPool, IsTheSameAfterARestart) {  // R5
  Hotel hotel;
  const auto relay = nostr::RelayUrl::parse("wss://peer.example/path");
  const auto one = event(1, 1111, 5, {{"e", std::string(64, 'e')}});
  const auto two = event(2, 30618, 6, {{"d", "x"}}), three = event(3, 1, 7);
  testing::NewNotes notes(hotel.book);
  const Origin origin{true, std::make_shared<const nostr::RelayUrl>(*relay)};
  hotel.space.admit({one, origin, 50, {"k"}}, notes);
  hotel.space.admit({two, {}, 60, {"k"}}, notes);
  hotel.space.admit({three, {}, 70, {"k"}}, notes);
  notes.write();
  hotel.leave(two);
  hotel.restart();
  EXPECT_EQ(hotel.space.size(), 2U);
  EXPECT_EQ(hotel.space.current()[2], 2U);
  hotel.space.call("e:" + std::string(64, 'e'));  // what it lacks is told from the event
  const auto called = hotel.space.take_called(10);
  ASSERT_EQ(called.size(), 1U);
  EXPECT_EQ(called[0].event->json, one->json);
  EXPECT_TRUE(called[0].origin.synced);
  EXPECT_EQ(*called[0].origin.relay, *relay);
  hotel.admit(orphan(4), {"k"}, 80);  // takes nobody's seat
  EXPECT_EQ(hotel.book.size(), 3U);
  hotel.expire(60 + hotel.limits.patience);
  EXPECT_EQ(hotel.space.size(), 2U);
}

TEST(OrphanPool, HasTheSameNotesAsOrphansAfterAnything) {  // R5
  std::mt19937 random(1);
  Hotel hotel({.bytes_max = 20'000, .authors_min = 4, .patience = 50});
  const auto key = [&] { return std::string(1, static_cast<char>('a' + random() % 8)); };
  for (core::UnixSeconds now = 0; now < 2'000; ++now) {
    hotel.admit(orphan(static_cast<std::uint32_t>(random() % 9), now, random() % 500),
                {key(), key()}, now);
    if (random() % 5 == 0) hotel.call(key());
    if (random() % 9 == 0) hotel.expire(now);
    ASSERT_LE(hotel.space.bytes(), 20'000U);
    ASSERT_EQ(hotel.space.size(), hotel.book.size());
  }
  for (char name = 'a'; name < 'i'; ++name) hotel.call(std::string(1, name));
  EXPECT_EQ(hotel.space.size(), 0U);
  EXPECT_EQ(hotel.space.bytes(), 0U);
  EXPECT_TRUE(hotel.book.empty());
}

}  // namespace orphan_pool_test
}  // namespace graspd::grasp
