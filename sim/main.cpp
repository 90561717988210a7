// sim_test [--seed=N | --first=N --seeds=N] [--failures=N] [--trace | --hashes] [gtest flags]
//
//   --seeds=100000     runs that many random schedules instead of 1,000
//   --first=50000000   begins with this seed instead of 1
//   --failures=100     stops after that many failed schedules instead of 5
//   --seed=4711        runs one of them again
//   --trace            prints what happens in it, line by line: what the engine is told (>), what
//                      it asks for (<), and what the world does (=)
//   --hashes           prints a hash of these lines for each life: a change that must not change
//                      behaviour leaves all of them as they were
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
    take(argv[i], "--first=", seeds.first);
    take(argv[i], "--failures=", seeds.failures_max);
    seeds.trace |= std::strcmp(argv[i], "--trace") == 0;
    seeds.hashes |= std::strcmp(argv[i], "--hashes") == 0;
  }
  return RUN_ALL_TESTS();
}
