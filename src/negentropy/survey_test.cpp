#include "negentropy/survey.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "negentropy/plain_client.h"
#include "negentropy/random_items.h"
#include "negentropy/reconciler.h"

namespace graspd::negentropy {
namespace survey_test {

std::string_view ranges_of(const std::string& message) {
  return std::string_view(message).substr(1);
}

ItemSet some_items(std::size_t count) {
  core::Rng rng(count);
  return ItemSet(random_items(rng, count, 1'700'000'000, 1 + count));
}

TEST(Survey, TellsWhichRangesAreOpen) {
  const ItemSet ours = some_items(160);
  std::vector<Item> fewer(ours.items().begin(), ours.items().end());
  fewer.erase(fewer.begin() + 25);
  const ItemSet theirs(fewer);
  const std::string message = PlainClient(theirs, 0).initial_message();
  const auto found = survey(ours, ranges_of(message));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->open.size(), 16u);
  EXPECT_EQ(std::count(found->open.begin(), found->open.end(), true), 1);
  EXPECT_TRUE(found->open[2]);
  EXPECT_EQ(found->items_open, 11u) << "ten of theirs and the one they lack";
  EXPECT_EQ(found->samples, 16u);
  EXPECT_EQ(found->samples_open, 1u);
}

TEST(Survey, RefusesAMessageThatIsCutOff) {  // R1
  const ItemSet ours = some_items(160);
  const std::string message = PlainClient(ours, 0).initial_message();
  EXPECT_FALSE(survey(ours, ranges_of(message.substr(0, message.size() - 1))));
}

TEST(ResponderSplit, ListsAtOnceWhatIsSmall) {
  EXPECT_GE(responder_split({.items_open = 2'000}, 480'000).list_max, 2'000u);
  EXPECT_LT(responder_split({.items_open = 2'001}, 480'000).list_max, 2'001u);
}

TEST(ResponderSplit, ListsEverythingWhereNearlyAllSamplesDiffer) {  // R2
  const Survey some{.items_open = 50'000, .samples = 100, .samples_open = 89};
  const Survey most{.items_open = 50'000, .samples = 100, .samples_open = 90};
  const Survey few{.items_open = 50'000, .samples = 10, .samples_open = 10};
  EXPECT_LT(responder_split(some, 480'000).list_max, 1'000u);
  EXPECT_GT(responder_split(most, 480'000).list_max, 50'000u);
  EXPECT_LT(responder_split(few, 480'000).list_max, 1'000u) << "ten tell too little";
}

TEST(ResponderSplit, CutsTheRestIntoWhatTheNextMessageCanList) {
  const Survey all{.items_open = 50'000, .samples = 1'000, .samples_open = 1'000};
  EXPECT_EQ(responder_split(all, 480'000).rest_parts, 38u) << "15,000 ids in parts of 400";
  const Survey third{.items_open = 50'000, .samples = 1'000, .samples_open = 333};
  EXPECT_EQ(responder_split(third, 480'000).rest_parts, 113u);
  EXPECT_EQ(responder_split(third, 0).rest_parts, 0u) << "without a limit there is no rest";
}

TEST(ResponderSplit, BoundsTheFingerprintsOfOneAnswer) {
  EXPECT_EQ(responder_split({.items_open = 100'000}, 480'000).part_items, 400u);
  EXPECT_EQ(responder_split({.items_open = 40'960'000}, 480'000).part_items, 10'000u);
}

}  // namespace survey_test
}  // namespace graspd::negentropy
