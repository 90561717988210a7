#include "nostr/kind.h"

#include <gtest/gtest.h>

namespace graspd::nostr {
namespace kind_test {

TEST(Kind, ProfilesAndFollowListsAreReplaceable) {
  EXPECT_TRUE(is_replaceable(Kind{0}));
  EXPECT_TRUE(is_replaceable(Kind{3}));
  for (std::uint16_t value : {1, 2, 4, 5, 44}) {
    EXPECT_EQ(kind_class(Kind{value}), KindClass::Regular) << value;
  }
}

TEST(Kind, RangesBeginAndEndWhereNip01Says) {
  EXPECT_EQ(kind_class(Kind{9'999}), KindClass::Regular);
  EXPECT_EQ(kind_class(Kind{10'000}), KindClass::Replaceable);
  EXPECT_EQ(kind_class(Kind{19'999}), KindClass::Replaceable);
  EXPECT_EQ(kind_class(Kind{20'000}), KindClass::Ephemeral);
  EXPECT_EQ(kind_class(Kind{29'999}), KindClass::Ephemeral);
  EXPECT_EQ(kind_class(Kind{30'000}), KindClass::Addressable);
  EXPECT_EQ(kind_class(Kind{39'999}), KindClass::Addressable);
}

TEST(Kind, NumbersOutsideEveryRangeAreKeptLikeRegularOnes) {
  for (std::uint16_t value : {45, 999, 40'000, 65'535}) {
    EXPECT_EQ(kind_class(Kind{value}), KindClass::Regular) << value;
  }
}

}  // namespace kind_test
}  // namespace graspd::nostr
