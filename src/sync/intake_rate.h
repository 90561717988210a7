// Limits how fast one relay is read: new events and bytes per minute.
//
//   R1  Unused rate is saved up, for at most kSavedMinutes: a first sync of 100,000 events is read
//       at full speed, and a relay that sends without end gets its rate and no more.
//   R2  Input is charged after it arrived, so the balance may fall below zero; then nothing is read
//       until it has recovered. Nothing is dropped.
//   R3  A pause lasts at least kPauseMin: a pause for each event would cost more than the event.
//   R4  A rate of 0 means no limit.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace graspd::sync {

struct IntakeLimits {
  // An event that is not known here costs a verification and a write. 500 a second take a few
  // percent of one core, and are far more than people write.
  std::uint64_t events_per_minute = 30'000;
  // Of messages, inflated. Also bounds what duplicates cost, which are not counted as events.
  std::uint64_t bytes_per_minute = 64 * 1024 * 1024;
};

class IntakeRate {
 public:
  static constexpr std::int64_t kSavedMinutes = 10;
  static constexpr core::Duration kPauseMin{250};

  IntakeRate(const IntakeLimits& limits, core::Instant now)
      : events_(limits.events_per_minute, now), bytes_(limits.bytes_per_minute, now) {}

  void took(std::uint64_t events, std::uint64_t bytes, core::Instant now) {
    events_.charge(events, now);
    bytes_.charge(bytes, now);
  }
  // From when on it is read again; `now` when it may be read at once.
  core::Instant ready_at(core::Instant now) const {
    const core::Duration wait = std::max(events_.debt(now), bytes_.debt(now));
    return wait.count() == 0 ? now : now + std::max(wait, kPauseMin);  // R3
  }

 private:
  class Balance {
   public:
    Balance(std::uint64_t per_minute, core::Instant now)
        : rate_(static_cast<std::int64_t>(std::min(per_minute, kRateMax))),
          parts_(most()),
          at_(now) {}

    void charge(std::uint64_t count, core::Instant now) {
      if (rate_ == 0) return;
      parts_ = at(now) - static_cast<std::int64_t>(std::min(count, kRateMax)) * kMinuteMs;
      at_ = std::max(at_, now);
    }
    core::Duration debt(core::Instant now) const {
      const std::int64_t owed = rate_ == 0 ? 0 : -at(now);
      return core::Duration(owed <= 0 ? 0 : (owed + rate_ - 1) / rate_);
    }

   private:
    static constexpr std::int64_t kMinuteMs = 60'000;
    static constexpr std::uint64_t kRateMax = 1ULL << 36;  // a day of it fits into 63 bits

    // In parts, one minute's milliseconds to the unit: each millisecond adds `rate_` parts.
    std::int64_t most() const { return rate_ * kMinuteMs * kSavedMinutes; }
    std::int64_t at(core::Instant now) const {
      const std::int64_t passed = std::clamp<std::int64_t>((now - at_).count(), 0, kDayMs);
      return std::min(most(), parts_ + passed * rate_);
    }
    static constexpr std::int64_t kDayMs = 24 * 60 * kMinuteMs;

    std::int64_t rate_, parts_;
    core::Instant at_;
  };

  Balance events_, bytes_;
};

}  // namespace graspd::sync
