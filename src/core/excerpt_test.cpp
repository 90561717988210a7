#include "core/excerpt.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace excerpt_test {

TEST(Excerpt, LeavesAShortTextAsItIs) {
  EXPECT_EQ(excerpt("", 0), "");
  EXPECT_EQ(excerpt("grasp", 5), "grasp");
}

TEST(Excerpt, CutsALongTextAtTheLimit) { EXPECT_EQ(excerpt("graspd", 5), "grasp"); }

TEST(Excerpt, NeverCutsInsideACharacter) {
  const std::string greeting = "a€b";  // one, three and one bytes
  EXPECT_EQ(excerpt(greeting, 4), "a€");
  EXPECT_EQ(excerpt(greeting, 3), "a");
  EXPECT_EQ(excerpt(greeting, 2), "a");
  EXPECT_EQ(excerpt(greeting, 1), "a");
}

TEST(Excerpt, OfBytesThatOnlyContinueIsEmpty) { EXPECT_EQ(excerpt("\x80\x80\x80", 2), ""); }

}  // namespace excerpt_test
}  // namespace graspd::core
