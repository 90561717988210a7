// Time is a value that is passed in. Nothing below net/ may ask a clock.
#pragma once
#include <chrono>
#include <cstdint>

namespace graspd::core {

using Duration = std::chrono::milliseconds;

struct SimulatableClock {  // never asked: only names the monotonic time line
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimulatableClock>;
  static constexpr bool is_steady = true;
};
using Instant = SimulatableClock::time_point;

// Seconds since 1970 as events carry them (`created_at`, `since`, NIP-40 `expiration`).
using UnixSeconds = std::int64_t;

inline UnixSeconds whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

// What a step is told about time: one monotonic instant, one wall-clock second.
struct Now {
  Instant instant;
  UnixSeconds unix_seconds = 0;
};

}  // namespace graspd::core
