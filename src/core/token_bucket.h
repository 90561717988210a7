// A rate: so many per minute, with a burst of one minute's worth.
//
//   R1  The bucket refills by elapsed time, not by calls: a caller that asks a thousand times a
//       second still gets its share, exactly.
//   R2  A rate of 0 means no limit.
//   R3  Time that goes backwards gives nothing and takes nothing.
#pragma once
#include <cstdint>

#include "core/time.h"

namespace graspd::core {

class TokenBucket {
 public:
  TokenBucket() = default;  // no limit
  TokenBucket(std::uint32_t per_minute, Instant now);

  // Takes one token, or says no and takes nothing.
  [[nodiscard]] bool take(Instant now);

 private:
  void refill(Instant now);

  std::uint32_t per_minute_ = 0;
  // In parts of a token, one minute's milliseconds to the token: each millisecond then adds
  // `per_minute_` parts, a whole number, and nothing is lost to rounding.
  std::int64_t parts_ = 0;
  Instant refilled_at_{};
};

}  // namespace graspd::core
