#include "web/hosted.h"

#include <gtest/gtest.h>

#include "web/pages_testing.h"

namespace graspd::web {
namespace hosted_test {

using testing::announcement;

void put(grasp::Catalog& catalog, grasp::Announcement announcement,
         grasp::Place place = grasp::Place::Served, bool hosts = true) {
  catalog.put({std::move(announcement), place, hosts});
}

TEST(Hosted, ListsTheNewestFirst) {  // R1
  grasp::Catalog catalog(grasp::Membership::Compatible);
  for (int i = 0; i < 10; ++i)
    put(catalog, announcement("r" + std::to_string(i), 1, 1'000 + i * 7 % 10));
  const Hosted some = hosted(catalog, 3);
  EXPECT_EQ(some.total, 10u);
  ASSERT_EQ(some.lines.size(), 3u);
  EXPECT_EQ(some.lines[0].announced_at, 1'009);
  EXPECT_EQ(some.lines[1].announced_at, 1'008);
  EXPECT_EQ(some.lines[2].announced_at, 1'007);
  EXPECT_EQ(hosted(catalog, 100).lines.size(), 10u);
}

TEST(Hosted, LeavesOutWhatWaitsAndWhatIsHostedElsewhere) {
  grasp::Catalog catalog(grasp::Membership::Compatible);
  put(catalog, announcement("waits"), grasp::Place::Waiting);
  put(catalog, announcement("guest"), grasp::Place::Served, false);
  EXPECT_EQ(hosted(catalog).total, 0u);
  put(catalog, announcement("served"));
  ASSERT_EQ(hosted(catalog).lines.size(), 1u);
  EXPECT_EQ(hosted(catalog).lines[0].coordinate.identifier.text(), "served");
}

TEST(Hosted, CopiesNoMoreThanIsShown) {  // R2
  grasp::Catalog catalog(grasp::Membership::Compatible);
  auto wordy = announcement("wordy");
  wordy.name = std::string(100'000, 'n');
  wordy.description = std::string(100'000, 'd');
  put(catalog, wordy);
  const auto lines = hosted(catalog).lines;
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].name.size() + lines[0].description.size(), 1'000u);
}

}  // namespace hosted_test
}  // namespace graspd::web
