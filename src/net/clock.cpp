#include "net/clock.h"

#include <chrono>

namespace graspd::net {

core::Now now() {
  using std::chrono::duration_cast;
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {core::Instant{duration_cast<core::Duration>(steady)},
          duration_cast<std::chrono::seconds>(wall).count()};
}

}  // namespace graspd::net
