#include "grasp/archived_threads.h"

#include <gtest/gtest.h>

#include "grasp/note_testing.h"
#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace archived_threads_test {
using namespace testing;

using Coordinates = std::vector<Coordinate>;

TEST(ArchivedThreads, AreToldAgainWhenNobodyReportsThemDone) {  // R2
  ArchivedThreads threads;
  Transition changes;
  threads.archive(coordinate(1), {10, announcement(1)->event.id}, changes);
  threads.archive(coordinate(2), {10, announcement(2)->event.id}, changes);
  EXPECT_EQ(changes.all<ArchiveThreads>().size(), 2U);
  const auto is_back = [](const Coordinate& key) { return key == coordinate(2); };
  EXPECT_EQ(threads.take_due(9, is_back), Coordinates());
  EXPECT_EQ(threads.take_due(10, is_back), Coordinates{coordinate(1)});
  EXPECT_EQ(threads.take_due(11, is_back), Coordinates());
  EXPECT_EQ(threads.take_due(10 + ArchivedThreads::kPatience, is_back), Coordinates{coordinate(1)});
  threads.settled(coordinate(1), changes);
  EXPECT_FALSE(threads.contains(coordinate(1)));
}

TEST(ArchivedThreads, AreReadAsTheyWereWritten) {  // R1
  Book book;
  ArchivedThreads before, after;
  const nostr::EventId id = announcement(1)->event.id;
  {
    NewNotes notes(book);
    before.archive(coordinate(1), {10, id}, notes);
    before.archive(coordinate(2), {20, id}, notes);
    before.settled(coordinate(2), notes);
  }
  ASSERT_EQ(book, (Book{{"threads/" + author(1).hex() + "/project", "10 " + id.hex()}}));
  for (const auto& [key, value] : book) ASSERT_TRUE(after.restore(key, value));
  EXPECT_EQ(after.terms().at(coordinate(1)).due, 10);
  EXPECT_EQ(after.terms().at(coordinate(1)).announcement, id);
  EXPECT_FALSE(after.restore("threads/" + author(1).hex() + "/project", "10"));
}

}  // namespace archived_threads_test
}  // namespace graspd::grasp
