#include "metrics/cgroup.h"

#include <gtest/gtest.h>

namespace graspd::metrics {
namespace cgroup_test {

TEST(Cgroup, IsTheOneOfVersionTwo) {
  EXPECT_EQ(parse_cgroup("0::/system.slice/graspd.service\n"), "/system.slice/graspd.service");
  EXPECT_EQ(parse_cgroup("4:memory:/old\n1:name=systemd:/x\n0::/new\n"), "/new");
  EXPECT_EQ(parse_cgroup("0::/\n"), "");
  EXPECT_EQ(parse_cgroup("4:memory:/old\n"), std::nullopt);
  EXPECT_EQ(parse_cgroup(""), std::nullopt);
}

TEST(Cgroup, TellsItsCpuTime) {
  EXPECT_EQ(parse_cpu_seconds("usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n"), 2.5);
  EXPECT_EQ(parse_cpu_seconds("user_usec 1\nusage_usec 1000000"), 1.0);
  EXPECT_EQ(parse_cpu_seconds("usage_usec \n"), std::nullopt);
  EXPECT_EQ(parse_cpu_seconds(""), std::nullopt);
}

}  // namespace cgroup_test
}  // namespace graspd::metrics
