#include "grasp/newest_seen.h"

#include <gtest/gtest.h>

#include "grasp/note_testing.h"
#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace newest_seen_test {
using namespace testing;

nostr::Version version(core::UnixSeconds at) { return {at, announcement(1, {.at = at})->event.id}; }

TEST(NewestSeen, KnowsWhatIsPast) {
  NewestSeen newest("floor/");
  Transition changes;
  EXPECT_FALSE(newest.is_past(coordinate(1), version(10)));
  newest.raise(coordinate(1), version(20), changes);
  EXPECT_TRUE(newest.is_past(coordinate(1), version(10)));
  EXPECT_FALSE(newest.is_past(coordinate(1), version(20)));
  EXPECT_FALSE(newest.is_past(coordinate(1), version(30)));
  EXPECT_FALSE(newest.is_past(coordinate(2), version(10)));
}

TEST(NewestSeen, IsReadAsItWasWritten) {  // R1
  Book book;
  NewestSeen before("floor/"), after("floor/");
  {
    NewNotes notes(book);
    before.raise(coordinate(1), version(20), notes);
    before.raise(coordinate(1), version(30), notes);  // R2
    before.raise(coordinate(2, "other"), version(10), notes);
  }
  ASSERT_EQ(book.size(), 2U);
  EXPECT_EQ(book.at("floor/" + author(1).hex() + "/project"), "30 " + version(30).id.hex());
  for (const auto& [key, value] : book) ASSERT_TRUE(after.restore(key, value));
  EXPECT_EQ(after.size(), 2U);
  EXPECT_TRUE(after.is_past(coordinate(1), version(20)));
  EXPECT_FALSE(after.is_past(coordinate(1), version(30)));
  EXPECT_FALSE(after.restore("floor/nobody/project", "20 00"));
  EXPECT_FALSE(after.restore("floor/" + author(1).hex() + "/project", "20"));
}

}  // namespace newest_seen_test
}  // namespace graspd::grasp
