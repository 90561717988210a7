#include "grasp/number_map.h"

#include <gtest/gtest.h>
#include <map>

#include "core/rng.h"

namespace graspd::grasp {
namespace number_map_test {

TEST(NumberMap, EqualsItsTwin) {
  core::Rng rng(1);
  NumberMap<std::uint64_t> map;
  std::map<std::uint64_t, std::uint64_t> twin;
  EXPECT_EQ(map.find(1), nullptr);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t number = 1 + rng.below(3'000);
    ASSERT_EQ(map[number], twin[number]);
    map[number] = twin[number] = rng.next();
    const std::uint64_t other = 1 + rng.below(6'000);
    const auto* found = map.find(other);
    ASSERT_EQ(found != nullptr, twin.contains(other));
    if (found) {
      ASSERT_EQ(*found, twin[other]);
    }
  }
}

}  // namespace number_map_test
}  // namespace graspd::grasp
