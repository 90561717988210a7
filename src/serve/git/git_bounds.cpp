#include "serve/git/git_bounds.h"

#include <algorithm>
#include <limits>

namespace graspd::serve {
namespace {

// pack-objects keeps two hundred bytes for an object, a window of objects that it compares
// (pack.windowMemory) and what it cached (pack.deltaCacheSize, core.deltaBaseCacheLimit); and one
// object of core.bigFileThreshold three times.
constexpr std::uint64_t kFetchBytes = 384ULL << 20;
constexpr std::uint64_t kFetchBytesPerPackByte = 2;

// Taking in the history of Linux, 1.3 GiB, is a quarter of an hour: a twentieth of this.
constexpr std::uint64_t kPackBytesPerSecond = 64 * 1024;

constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();

// R4. 0: no less than every process may have.
std::uint64_t bounded(std::uint64_t bytes, const GitMemory& memory) {
  const std::uint64_t every = memory.process_max > 0 ? memory.process_max : kAny;
  const std::uint64_t half =
      memory.budget > 0 ? std::max<std::uint64_t>(memory.budget / 2, 1) : kAny;
  bytes = std::min({bytes, every, half});
  return bytes == every ? 0 : bytes;
}

}  // namespace

git::Bounds fetch_bounds(std::uint64_t pack_bytes, const GitMemory& memory) {
  return {bounded(kFetchBytes + kFetchBytesPerPackByte * pack_bytes, memory), 0};
}

git::Bounds push_bounds(bool is_unsigned, PackSize size, const GitMemory& memory) {
  if (is_unsigned)
    return {bounded(git::kForStrangers.memory_bytes, memory), git::kForStrangers.cpu_seconds};
  const bool is_small = size == PackSize::Small;
  return {bounded(is_small ? git::kForStrangers.memory_bytes : kAny, memory), 0};
}

std::uint64_t cost(const git::Bounds& bounds, const GitMemory& memory) {
  if (bounds.memory_bytes > 0) return bounds.memory_bytes;
  return memory.process_max > 0 ? memory.process_max : memory.budget / 2;
}

std::uint64_t push_cpu_seconds(bool is_unsigned, std::uint64_t received_bytes) {
  const std::uint64_t base = git::kForStrangers.cpu_seconds;
  return is_unsigned ? base : base + received_bytes / kPackBytesPerSecond;
}

}  // namespace graspd::serve
