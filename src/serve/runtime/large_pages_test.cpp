#include "serve/runtime/large_pages.h"

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

TEST(LargePages, KeepTheLastBlockForTheNextWhoNeedsAboutAsMuch) {  // R1, R2
  constexpr std::size_t kMuch = 20'000'000;
  std::pmr::memory_resource& memory = *large_pages();
  void* first = memory.allocate(kMuch);
  void* second = memory.allocate(kMuch);
  EXPECT_NE(first, second);
  memory.deallocate(first, kMuch);
  memory.deallocate(second, kMuch);
  void* again = memory.allocate(kMuch + 100);
  EXPECT_EQ(again, second);
  void* other = memory.allocate(2 * kMuch);
  EXPECT_NE(other, again);
  memory.deallocate(other, 2 * kMuch);
  memory.deallocate(again, kMuch + 100);
}

}  // namespace large_pages_test
}  // namespace graspd::serve
