// sim_test [--seeds=N | --seed=N] [gtest flags]
//
//   --seeds=100000   runs that many random schedules instead of 1,000
//   --seed=4711      runs one of them again
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include "sim/seeds.h"

namespace {

graspd::sim::SeedRange seeds;

bool take(const char* argument, const char* flag, std::uint64_t& value) {
  const std::size_t length = std::strlen(flag);
  if (std::strncmp(argument, flag, length) != 0) return false;
  value = std::strtoull(argument + length, nullptr, 10);
  return true;
}

}  // namespace

graspd::sim::SeedRange graspd::sim::seeds_to_run() { return seeds; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (take(argv[i], "--seed=", seeds.first)) seeds.count = 1;
    take(argv[i], "--seeds=", seeds.count);
  }
  return RUN_ALL_TESTS();
}
