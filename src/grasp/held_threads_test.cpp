#include "grasp/held_threads.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp::held_threads {
namespace held_threads_test {

using testing::coordinate;

class HeldThreadsTest : public ::testing::Test {
 protected:
  nostr::WireEventPtr keep(std::uint32_t by) {
    const auto wire = testing::event(by, 1621, testing::kStart);
    EXPECT_TRUE(store_.write(std::vector<store::Write>{{wire, false}}, testing::kStart));
    const auto note = keeping(coordinate(1), wire->event.id, **store_.snapshot());
    EXPECT_TRUE(note);
    write({*note}, {wire->event.id});
    return wire;
  }
  void write(const std::vector<store::Note>& notes, const std::vector<nostr::EventId>& removals) {
    EXPECT_TRUE(store_.write({{}, removals, notes}, testing::kStart));
  }
  std::vector<nostr::EventId> held(const Coordinate& gone) {
    const auto ids = all(gone, **store_.snapshot());
    EXPECT_TRUE(ids);
    return *ids;
  }

  store::MemoryStore store_;
};

TEST_F(HeldThreadsTest, AreReadAsTheyWere) {
  const auto wire = keep(5);
  const auto here = store_.snapshot();
  ASSERT_FALSE((*here)->contains(wire->event.id));
  const auto events = read(coordinate(1), held(coordinate(1)), **here);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]->json, wire->json);
  EXPECT_EQ(events[0]->event.id, wire->event.id);
}

TEST_F(HeldThreadsTest, BelongToOneRepository) {
  keep(5);
  EXPECT_EQ(held(coordinate(1)).size(), 1U);
  EXPECT_TRUE(held(coordinate(2)).empty());
  EXPECT_TRUE(held(coordinate(1, "proj")).empty());
}

TEST_F(HeldThreadsTest, AreLetGoOneByOne) {
  const auto first = keep(5), second = keep(6);
  write({letting_go(coordinate(1), first->event.id)}, {});
  EXPECT_EQ(held(coordinate(1)), std::vector{second->event.id});
}

TEST_F(HeldThreadsTest, AreNothingThatIsNotHere) {
  const auto wire = testing::event(7, 1621, testing::kStart);
  EXPECT_FALSE(keeping(coordinate(1), wire->event.id, **store_.snapshot()));
}

}  // namespace held_threads_test
}  // namespace graspd::grasp::held_threads
