// How fast a connection may ask (sync.md §5, Pace): one token bucket over REQ, NEG-OPEN, NEG-MSG
// and COUNT.
//
//   R1  100 a minute with a burst of 20; doubled after each clean 10 minutes, up to 600.
//   R2  A rate-limit refusal halves it, not below 6 a minute, and empties the bucket.
//   R3  Off towards our own software.
#pragma once
#include <cstdint>

#include "core/time.h"

namespace graspd::sync {

class Pace {
 public:
  explicit Pace(core::Instant now) : refilled_at_(now), clean_since_(now) {}
  static Pace unlimited(core::Instant now);

  // The time from which a token is there: `now` when there is one already.
  core::Instant ready_at(core::Instant now);
  void take(core::Instant now);  // only when ready
  void refused(core::Instant now);

  std::uint32_t per_minute() const { return unlimited_ ? 0 : per_minute_; }  // 0: no limit

 private:
  void refill(core::Instant now);

  bool unlimited_ = false;
  std::uint32_t per_minute_ = 100;
  std::int64_t parts_ = 20 * 60'000;  // 60,000 parts to a token: a millisecond adds per_minute_
  core::Instant refilled_at_, clean_since_;
};

}  // namespace graspd::sync
