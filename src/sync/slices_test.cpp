#include "sync/slices.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace slices_test {

struct Model {
  RepoIndex index;
  Items items;

  Model(std::uint32_t repos, std::size_t identifier_bytes) {
    for (std::uint32_t i = 0; i < repos; ++i) {
      std::string identifier = std::to_string(i);
      identifier.resize(identifier_bytes, 'x');
      items.repos.add(index.repo({{30617}, {}, identifier}).value);
    }
  }
};

TEST(Slices, HoldAtMostSoManyValues) {  // R3
  Model model(250, 5);
  const auto slices =
      slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 32 * 1024}, {});
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].ids.size(), 100u);
  EXPECT_EQ(slices[2].ids.size(), 50u);
}

TEST(Slices, HoldAtMostSoManyBytes) {  // R3
  Model model(10, 1000);
  const auto slices =
      slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 2500}, {});
  EXPECT_EQ(slices.size(), 5u);
  const auto single =
      slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 10}, {});
  EXPECT_EQ(single.size(), 10u);
}

TEST(Slices, ChangeOnlyAtTheEndWhenSomethingIsAdded) {  // R2
  Model model(250, 5);
  const auto before =
      slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 32 * 1024}, {});
  model.items.repos.add(model.index.repo({{30617}, {}, "aaa"}).value);
  const auto after =
      slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 32 * 1024}, {});
  EXPECT_EQ(before[0], after[0]);
  EXPECT_EQ(before[1], after[1]);
  EXPECT_NE(before[2], after[2]);
}

TEST(Slices, BecomeSortedFilters) {
  Model model(12, 2);
  const auto slices = slice_items(model.index, model.items, false, {100, 32 * 1024}, {});
  ASSERT_EQ(slices.size(), 4u);  // d, a, A, q
  const auto states = to_filter(model.index, slices[0]);
  EXPECT_EQ(states.kinds, std::vector<nostr::Kind>{{30618}});
  EXPECT_EQ(states.tags[0].letter, 'd');
  EXPECT_TRUE(std::is_sorted(states.tags[0].values.begin(), states.tags[0].values.end()));
  EXPECT_EQ(to_filter(model.index, slices[1]).tags[0].letter, 'a');
  EXPECT_EQ(slice_items(model.index, model.items, true, {100, 32 * 1024}, {}).size(), 3u);
}

TEST(Slices, ArePackedWithinFiltersAndBytes) {
  Model model(1000, 5);
  const auto slices = slice_items(model.index, model.items, true, {100, 32 * 1024}, {});
  for (const Group& group : pack(model.index, slices, {10, 50'000})) {
    EXPECT_LE(group.size(), 10u);
    EXPECT_LE(group_bytes(model.index, group), 50'000u);
  }
}

TEST(Slices, LeaveOutWhatIsExcluded) {
  Model model(3, 5);
  const auto slices = slice_class(model.index, FilterClass::RepoA, model.items.repos, {100, 1000},
                                  {{FilterClass::RepoA, 1}});
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].ids, (std::vector<std::uint32_t>{0, 2}));
}

}  // namespace slices_test
}  // namespace graspd::sync
