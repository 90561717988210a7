#include "core/counted.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace counted_test {

TEST(Counted, SpeaksOfOneAndOfMany) {
  EXPECT_EQ(counted(0, "event"), "0 events");
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(2, "event"), "2 events");
  EXPECT_EQ(counted(1, "repository", "repositories"), "1 repository");
  EXPECT_EQ(counted(3, "repository", "repositories"), "3 repositories");
}

}  // namespace counted_test
}  // namespace graspd::core
