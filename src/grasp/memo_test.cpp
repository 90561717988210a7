#include "grasp/memo.h"

#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace graspd::grasp {
namespace memo_test {

TEST(Memo, KeepsWhatAnyThreadPuts) {  // R1 R2
  Memo<std::uint64_t> memo(100);
  const auto ask = [&memo] {
    for (std::uint64_t number = 1; number <= 1'000; ++number) {
      const auto* known = memo.find(number);
      if (!known) known = &memo.put(number, std::make_shared<const std::uint64_t>(number * 2));
      ASSERT_EQ(*known, number * 2);
    }
  };
  std::thread one(ask), two(ask);
  one.join();
  two.join();
  std::map<std::uint64_t, std::uint64_t> all;
  memo.each([&](std::uint64_t number, const auto& value) { all[number] = *value; });
  EXPECT_EQ(all.size(), 1'000U);
  EXPECT_GE(memo.size(), 1'000U);
}

}  // namespace memo_test
}  // namespace graspd::grasp
