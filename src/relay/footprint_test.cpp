#include "relay/footprint.h"

#include <gtest/gtest.h>

#include "relay/subscriptions.h"

namespace graspd::relay {
namespace footprint_test {

nostr::Filter with_tags(std::size_t count, std::size_t bytes_each) {
  nostr::Filter filter;
  filter.tags.push_back({'t', std::vector<std::string>(count, std::string(bytes_each, 'x'))});
  return filter;
}

TEST(Footprint, OfManyShortValuesIsFarMoreThanTheirText) {
  EXPECT_GE(footprint(with_tags(1'000, 1)), 1'000 * sizeof(std::string));
  EXPECT_GE(Subscriptions::footprint({with_tags(1'000, 1)}), 1'000 * 150u);
}

TEST(Footprint, OfLongValuesGrowsWithThem) {
  EXPECT_GE(footprint(with_tags(10, 10'000)), 100'000u);
  EXPECT_LE(footprint(with_tags(10, 10'000)), 110'000u);
  EXPECT_GE(Subscriptions::footprint({with_tags(10, 10'000)}), 100'000u);
}

TEST(Footprint, OfHexValuesIsThatOfTheirBytes) {
  nostr::Filter filter;
  filter.ids.emplace(1'000);
  filter.authors.emplace(500);
  EXPECT_EQ(footprint(filter), sizeof filter + 1'500 * 32);
}

TEST(Footprint, OfAnIndexCountsTheConditionItUses) {
  nostr::Filter filter = with_tags(1'000, 4);
  const std::size_t by_tags = Subscriptions::footprint({filter});
  filter.authors.emplace(1);
  EXPECT_LT(Subscriptions::footprint({filter}), by_tags / 100);
}

}  // namespace footprint_test
}  // namespace graspd::relay
