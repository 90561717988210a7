// Which seeds the random schedules run: 1,000, or what the command line says.
#pragma once
#include <cstdint>

namespace graspd::sim {

#ifndef GRASPD_SIM_SEEDS  // fewer under sanitizers
#define GRASPD_SIM_SEEDS 1000
#endif

struct SeedRange {
  std::uint64_t first = 1, count = GRASPD_SIM_SEEDS, failures_max = 5;
  bool trace = false, hashes = false;
};
SeedRange seeds_to_run();

}  // namespace graspd::sim
