#include "app/server/machine_memory.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace machine_memory_test {

TEST(MachineMemory, IsSomething) {
  EXPECT_GT(machine_memory(), 64ULL << 20);
  EXPECT_LT(machine_memory(), 1ULL << 50);
}

TEST(MachineMemory, FindsTheControlGroup) {
  EXPECT_EQ(control_group("12:cpu:/x\n0::/system.slice/graspd.service\n"),
            "system.slice/graspd.service");
  EXPECT_EQ(control_group("0::/\n"), "");
  EXPECT_EQ(control_group("12:cpu:/x\n"), "");
  EXPECT_EQ(control_group(""), "");
}

}  // namespace machine_memory_test
}  // namespace graspd::app
