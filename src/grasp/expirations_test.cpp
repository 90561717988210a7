#include "grasp/expirations.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace expirations_test {

using namespace testing;
nostr::WireEventPtr expiring(core::UnixSeconds at, core::UnixSeconds created_at = kStart) {
  return announcement(1, {.at = created_at, .more = {{"expiration", std::to_string(at)}}});
}

TEST(Expirations, TellWhatIsDueOnceAndInOrder) {
  Expirations expirations;
  Transition notes;
  const auto pull = event(2, 1618, kStart, tags({{"expiration", "500"}, {"a", address(1)}}));
  expirations.stored(expiring(600)->event, {coordinate(1)}, notes);
  expirations.stored(pull->event, {coordinate(1), coordinate(3, "other")}, notes);
  expirations.stored(announcement(2)->event, {coordinate(2)}, notes);
  EXPECT_EQ(expirations.size(), 2U);
  EXPECT_TRUE(expirations.take_due(499, notes).empty());
  notes.take();
  const auto due = expirations.take_due(600, notes);
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0], (Expiring{500,
                              {1618},
                              pull->event.id,
                              kStart,
                              author(2),
                              {coordinate(1), coordinate(3, "other")}}));
  EXPECT_EQ(due[1].id, expiring(600)->event.id);
  EXPECT_EQ(notes.all<store::Note>().size(), 2U);
  EXPECT_TRUE(expirations.take_due(600, notes).empty());
}

TEST(Expirations, GoWithTheVersionThatHadThem) {  // R1
  Expirations expirations;
  Transition notes;
  expirations.stored(expiring(600)->event, {coordinate(1)}, notes);
  expirations.stored(expiring(700, kStart + 1)->event, {coordinate(1)}, notes);
  EXPECT_EQ(expirations.size(), 1U);
  EXPECT_TRUE(expirations.take_due(600, notes).empty());
  notes.take();
  expirations.stored(announcement(1, {.at = kStart + 2})->event, {coordinate(1)}, notes);
  EXPECT_EQ(expirations.size(), 0U);
  ASSERT_EQ(notes.all<store::Note>().size(), 1U);
  EXPECT_FALSE(notes.all<store::Note>()[0].value);
}

TEST(Expirations, AreReadAsTheyWereWritten) {  // R2
  Expirations before, after;
  Transition notes;
  before.stored(expiring(600)->event, {coordinate(1)}, notes);
  const store::Note note = notes.all<store::Note>().front();
  ASSERT_TRUE(after.restore(note.key, *note.value));
  EXPECT_EQ(after.take_due(600, notes), before.take_due(600, notes));
  for (const char* text : {"", "1", "1 2 3 4", "x 30617 a b\n"})
    EXPECT_FALSE(after.restore("expiring/x", text)) << text;
}

}  // namespace expirations_test
}  // namespace graspd::grasp
