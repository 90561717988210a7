#include "serve/large_pages.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace graspd::serve {
namespace large_pages_test {

TEST(LargePages, GiveMemoryOfAnySizeThatCanBeWrittenAndGrown) {
  std::pmr::vector<std::uint64_t> numbers(large_pages());
  for (std::uint64_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  EXPECT_EQ(numbers.front(), 0u);
  EXPECT_EQ(numbers.back(), 999'999u);
  numbers.resize(10);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers.back(), 9u);
}

}  // namespace large_pages_test
}  // namespace graspd::serve
