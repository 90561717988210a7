#include "grasp/stranger_pool.h"

#include <gtest/gtest.h>
#include <random>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace stranger_pool_test {

using store::testing::author;
using store::testing::event;
nostr::WireEventPtr request(std::uint32_t by, int number) {
  return event(by, 5, number, {{"e", "x"}});
}
const std::size_t kCost = StrangerPool::cost(*request(1, 100));

std::vector<nostr::EventId> ids(const std::vector<StrangerPool::Entry>& entries) {
  std::vector<nostr::EventId> all;
  for (const auto& entry : entries) all.push_back(entry.id);
  return all;
}

TEST(StrangerPool, LetsTheOldestOfAKeyGo) {  // R1
  Transition notes;
  for (const StrangerLimits limits : {StrangerLimits{2, 0, 0}, StrangerLimits{0, 2 * kCost, 0}}) {
    StrangerPool pool("p/", limits);
    EXPECT_TRUE(pool.add(*request(1, 900), notes).empty());
    EXPECT_TRUE(pool.add(*request(2, 100), notes).empty());
    EXPECT_TRUE(pool.add(*request(1, 101), notes).empty());
    EXPECT_EQ(ids(pool.add(*request(1, 102), notes)),
              std::vector{request(1, 900)->event.id});  // it came first, whatever its date
    EXPECT_EQ(pool.of(author(1)),
              (std::vector{request(1, 101)->event.id, request(1, 102)->event.id}));
    EXPECT_EQ(pool.size(), 3U);
  }
}

TEST(StrangerPool, LetsTheOldestOfAllGo) {  // R1
  Transition notes;
  StrangerPool pool("p/", {0, 0, 2 * kCost});
  pool.add(*request(1, 100), notes);
  pool.add(*request(2, 100), notes);
  EXPECT_EQ(ids(pool.add(*request(3, 100), notes)), std::vector{request(1, 100)->event.id});
  EXPECT_EQ(pool.bytes(), 2 * kCost);
}

TEST(StrangerPool, AlwaysHasRoomForTheNewest) {  // R1
  Transition notes;
  StrangerPool pool("p/", {1, 1, 1});
  EXPECT_TRUE(pool.add(*request(1, 100), notes).empty());
  EXPECT_EQ(pool.add(*request(2, 100), notes).size(), 1U);
  EXPECT_TRUE(pool.contains(request(2, 100)->event.id));
}

TEST(StrangerPool, CountsWhatTheIndexesMake) {  // R2
  nostr::Tags tags;
  for (int i = 0; i < 100; ++i) {
    tags.begin_row();
    tags.append("e"), tags.append(std::to_string(i));
  }
  EXPECT_GT(StrangerPool::cost(*event(1, 5, 1, tags)), kCost + 99 * 100);
}

// R3: what its notes tell is what it knows, and it stays within its bounds.
TEST(StrangerPool, IsTheSameAfterARestart) {
  std::mt19937 random(1);
  const StrangerLimits limits{3, 3 * kCost, 6 * kCost};
  StrangerPool pool("p/", limits);
  std::map<std::string, std::string> written;
  for (int i = 0; i < 500; ++i) {
    Transition notes;
    const auto one = request(random() % 5, 100 + static_cast<int>(random() % 40));
    random() % 4 ? void(pool.add(*one, notes)) : pool.erase(one->event.id, notes);
    for (const store::Note& note : notes.all<store::Note>())
      note.value ? void(written.insert_or_assign(note.key, *note.value))
                 : void(written.erase(note.key));
    ASSERT_EQ(written.size(), pool.size());
    ASSERT_LE(pool.bytes(), limits.bytes_max);
    StrangerPool again("p/", limits);
    for (const auto& [key, value] : written) ASSERT_TRUE(again.restore(key, value));
    ASSERT_EQ(again.bytes(), pool.bytes());
    for (std::uint32_t who = 0; who < 5; ++who) {
      ASSERT_EQ(again.of(author(who)), pool.of(author(who)));
      ASSERT_LE(pool.of(author(who)).size(), limits.entries_per_key);
    }
  }
}

TEST(StrangerPool, DoesNotReadWhatIsNoNoteOfIts) {
  StrangerPool pool("p/", {});
  for (const char* value : {"", "x", "1 2 3"}) EXPECT_FALSE(pool.restore("p/1", value));
}

}  // namespace stranger_pool_test
}  // namespace graspd::grasp
