// How fast a connection may send requests (sync.md §5, Pace): one token bucket over REQ, NEG-OPEN,
// NEG-MSG and COUNT, and the rate that the relay was seen to allow.
//
//   R1  100 a minute with a burst of 20; doubled after each clean 10 minutes, up to 600.
//   R2  A rate-limit refusal halves it, not below 6 a minute, and empties the bucket.
//   R3  A refusal also shows how many requests the relay accepted within a minute: from then on no
//       minute has more than that, but at least 6. This limit is doubled after each clean 10
//       minutes too.
//   R4  Off towards our own software.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

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

  std::uint32_t per_minute() const;  // 0: no limit
  bool allows_many() const;          // a request more does not matter

 private:
  void refill(core::Instant now);

  bool unlimited_ = false;
  std::uint32_t per_minute_ = 100;
  std::int64_t parts_ = 20 * 60'000;  // 60,000 parts to a token: a millisecond adds per_minute_
  std::optional<std::uint32_t> minute_max_;  // R3
  std::deque<core::Instant> taken_;          // within the last minute, without those refused
  core::Instant refilled_at_, clean_since_;
};

}  // namespace graspd::sync
