#include "git/oid.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace oid_test {

constexpr std::string_view kText = "0123456789abcdef0123456789abcdef01234567";

TEST(Oid, IsReadFromFortyHexDigitsAndWrittenBack) {
  const auto oid = Oid::parse(kText);
  ASSERT_TRUE(oid);
  EXPECT_EQ(oid->hex(), kText);
  EXPECT_FALSE(oid->is_zero());
}

TEST(Oid, IsNothingElse) {  // R1
  for (const std::string_view text :
       {"", "HEAD", "01234567", "0123456789ABCDEF0123456789abcdef01234567",
        "0123456789abcdef0123456789abcdef0123456", "0123456789abcdef0123456789abcdef012345678",
        "0123456789abcdef0123456789abcdef0123456g", " 123456789abcdef0123456789abcdef01234567",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}) {
    EXPECT_FALSE(Oid::parse(text)) << text;
  }
}

TEST(Oid, IsZeroUnlessSaidOtherwise) {
  EXPECT_TRUE(Oid().is_zero());
  EXPECT_EQ(Oid::parse(std::string(40, '0')), Oid());
}

TEST(Oid, IsMadeOfBytesAndOrderedByThem) {
  Oid::Bytes bytes{};
  bytes[19] = 1;
  const Oid one = Oid::from_span(bytes);
  EXPECT_EQ(one.hex(), std::string(39, '0') + "1");
  EXPECT_LT(Oid(), one);
  EXPECT_LT(one, *Oid::parse(kText));
}

}  // namespace oid_test
}  // namespace graspd::git
