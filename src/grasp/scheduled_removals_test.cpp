#include "grasp/scheduled_removals.h"

#include <gtest/gtest.h>

#include "grasp/note_testing.h"
#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace scheduled_removals_test {
using namespace testing;

using Coordinates = std::vector<Coordinate>;

TEST(ScheduledRemovals, AreDueOnceAndNotWhenCancelled) {  // R2
  ScheduledRemovals removals;
  Transition changes;
  removals.schedule(coordinate(1), 10, changes);
  removals.schedule(coordinate(2), 20, changes);
  removals.schedule(coordinate(3), 20, changes);
  removals.cancel(coordinate(2), changes);
  EXPECT_EQ(removals.take_due(9, changes), Coordinates());
  EXPECT_EQ(removals.take_due(10, changes), Coordinates{coordinate(1)});
  EXPECT_EQ(removals.take_due(99, changes), Coordinates{coordinate(3)});
  EXPECT_EQ(removals.take_due(99, changes), Coordinates());
}

TEST(ScheduledRemovals, AreReadAsTheyWereWritten) {  // R1
  Book book;
  ScheduledRemovals before, after;
  {
    NewNotes notes(book);
    before.schedule(coordinate(1), 10, notes);
    before.schedule(coordinate(1), 15, notes);
    before.schedule(coordinate(2), 20, notes);
    before.cancel(coordinate(2), notes);
    before.cancel(coordinate(3), notes);
  }
  ASSERT_EQ(book, (Book{{"removal/" + author(1).hex() + "/project", "15"}}));
  for (const auto& [key, value] : book) ASSERT_TRUE(after.restore(key, value));
  EXPECT_FALSE(after.restore("removal/project", "15"));
  NewNotes notes(book);
  EXPECT_EQ(after.take_due(15, notes), Coordinates{coordinate(1)});
  notes.write();
  EXPECT_TRUE(book.empty());
}

TEST(ScheduledRemovals, KeepTheTimeThatIsKnown) {
  ScheduledRemovals removals;
  Transition changes;
  removals.schedule(coordinate(1), 20, changes);
  removals.schedule_unless_known(coordinate(1), 10);
  removals.schedule_unless_known(coordinate(2), 10);
  EXPECT_EQ(removals.take_due(10, changes), Coordinates{coordinate(2)});
}

}  // namespace scheduled_removals_test
}  // namespace graspd::grasp
