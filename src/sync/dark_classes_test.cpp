#include "sync/dark_classes.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace dark_classes_test {

TEST(DarkClasses, KnowTheEarliestTimeOfAGroup) {  // R1
  DarkClasses dark;
  const Group roots{{FilterClass::RootE, {1}}}, both{{FilterClass::RootE, {2}}, {}};
  EXPECT_EQ(dark.since(roots), std::nullopt);
  dark.add(roots, 200);
  dark.add(FilterClass::RootE, 300);
  EXPECT_EQ(dark.since(roots), 200);
  DarkClasses other;
  other.add(FilterClass::Announcements, 100);
  other.add(dark);
  EXPECT_EQ(other.since(both), 100);
  EXPECT_EQ(other.since(roots), 200);
  EXPECT_EQ(other.since({{FilterClass::RepoA, {1}}}), std::nullopt);
}

}  // namespace dark_classes_test
}  // namespace graspd::sync
