// Which seeds the random schedules run: 1,000, under sanitizers fewer, or what the command line
// says.
#pragma once
#include <cstdint>

#include "core/sanitized.h"

namespace graspd::sim {

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t count = core::kIsSanitized ? 50 : 1'000;
  std::uint64_t failures_max = 5;
  bool trace = false, hashes = false;
};
SeedRange seeds_to_run();

}  // namespace graspd::sim
