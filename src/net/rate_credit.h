// How long a peer may still keep us waiting if it must move its bytes at a minimum rate.
//
//   R1  Waiting for the peer spends credit; bytes that move earn it. Time in which we wait for
//       somebody else costs nothing.
//   R2  It begins with `grace` and never holds more: a peer that was fast cannot stall for long
//       later.
//   R3  Without credit the peer is too slow. A rate of 0 means no minimum.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace graspd::net {

struct MinimumRate {
  std::uint64_t bytes_per_second = 0;
  core::Duration grace{60'000};
};

class RateCredit {
 public:
  explicit RateCredit(const MinimumRate& rate)
      : rate_{std::min(rate.bytes_per_second, kRateMax), std::min(rate.grace, kGraceMax)},
        left_(most()) {}

  void waited(core::Duration time) {
    left_ = std::max(left_ - std::min(time, kGraceMax).count() * rate(), -most());
  }
  void moved(std::uint64_t bytes) {
    const auto enough = static_cast<std::uint64_t>(most() - left_) / kMillisecond + 1;
    left_ =
        std::min(most(), left_ + static_cast<std::int64_t>(std::min(bytes, enough)) * kMillisecond);
  }
  // How much longer it may wait from now on.
  core::Duration left() const {
    if (rate() == 0) return core::Duration::max();
    return core::Duration(std::max<std::int64_t>(left_, 0) / rate());
  }

 private:
  // In thousandths of a byte: a millisecond costs `bytes_per_second` of them.
  static constexpr std::int64_t kMillisecond = 1'000;
  // Their product fits into 63 bits.
  static constexpr std::uint64_t kRateMax = 1ULL << 35;
  static constexpr core::Duration kGraceMax = std::chrono::hours(24);

  std::int64_t rate() const { return static_cast<std::int64_t>(rate_.bytes_per_second); }
  std::int64_t most() const { return rate_.grace.count() * rate(); }

  MinimumRate rate_;
  std::int64_t left_;
};

}  // namespace graspd::net
