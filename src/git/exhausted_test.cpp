#include "git/exhausted.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace exhausted_test {

TEST(Exhausted, IsReadFromComplaintsAndSignals) {  // R1
  const auto memory = "fatal: Out of memory, malloc failed (tried to allocate 1073741825 bytes)\n";
  EXPECT_EQ(exhausted(128, memory), Exhausted::Memory);
  EXPECT_EQ(exhausted(128, "fatal: inflateInit: out of memory (no message)"), Exhausted::Memory);
  EXPECT_EQ(exhausted(1, "fatal: mmap failed: Cannot allocate memory"), Exhausted::Memory);
  EXPECT_EQ(exhausted(0, "error: index-pack died of signal 24"), Exhausted::Time);
  EXPECT_EQ(exhausted(152, ""), Exhausted::Time);
  EXPECT_EQ(exhausted(0, "error: index-pack died of signal 25"), Exhausted::FileSize);
  EXPECT_EQ(exhausted(153, ""), Exhausted::FileSize);
}

TEST(Exhausted, IsNothingWhenObjectsAreToBlame) {
  EXPECT_EQ(exhausted(128, "fatal: missing blob object 'ab'"), std::nullopt);
  EXPECT_EQ(exhausted(137, "error: index-pack died of signal 9"), std::nullopt);
  EXPECT_EQ(exhausted(0, ""), std::nullopt);
}

}  // namespace exhausted_test
}  // namespace graspd::git
