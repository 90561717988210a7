// Which seeds the random schedules run: 1,000, or what the command line says.
#pragma once
#include <cstdint>

namespace graspd::sim {

struct SeedRange {
  std::uint64_t first = 1, count = 1000;
};
SeedRange seeds_to_run();

}  // namespace graspd::sim
