#include "serve/runtime/random.h"

#include <cerrno>
#include <sys/random.h>
#include <vector>

#include "core/check.h"
#include "core/hex.h"

namespace graspd::serve {

void fill_random(std::span<std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = getrandom(bytes.data() + done, bytes.size() - done, 0);
    CHECK(got > 0 || errno == EINTR);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

std::string random_hex(std::size_t bytes) {
  std::vector<std::uint8_t> random(bytes);
  fill_random(random);
  return core::encode_hex(random);
}

std::uint64_t random_seed() {
  std::array<std::uint8_t, 8> bytes;
  fill_random(bytes);
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : bytes) seed = seed << 8 | byte;
  return seed;
}

}  // namespace graspd::serve
