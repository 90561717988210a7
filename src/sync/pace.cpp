#include "sync/pace.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr std::uint32_t kPerMinuteMin = 6;
constexpr std::uint32_t kPerMinuteMax = 600;
constexpr std::int64_t kToken = 60'000;
constexpr std::int64_t kBurst = 20 * kToken;
constexpr core::Duration kCleanSpell = 10min;

}  // namespace

Pace Pace::unlimited(core::Instant now) {
  Pace pace(now);
  pace.unlimited_ = true;
  return pace;
}

void Pace::refill(core::Instant now) {
  while (now - clean_since_ >= kCleanSpell && per_minute_ < kPerMinuteMax) {  // R1
    per_minute_ = std::min(2 * per_minute_, kPerMinuteMax);
    clean_since_ += kCleanSpell;
  }
  const core::Duration elapsed = std::clamp(now - refilled_at_, core::Duration(0), 10min + 0ms);
  parts_ = std::min(parts_ + elapsed.count() * per_minute_, kBurst);
  refilled_at_ = std::max(refilled_at_, now);
}

core::Instant Pace::ready_at(core::Instant now) {
  if (unlimited_) return now;
  refill(now);
  if (parts_ >= kToken) return now;
  const std::int64_t missing = kToken - parts_;
  return now + core::Duration((missing + per_minute_ - 1) / per_minute_);
}

void Pace::take(core::Instant now) {
  if (unlimited_) return;
  refill(now);
  CHECK(parts_ >= kToken);
  parts_ -= kToken;
}

void Pace::refused(core::Instant now) {  // R2
  if (unlimited_) return;
  refill(now);
  per_minute_ = std::max(per_minute_ / 2, kPerMinuteMin);
  parts_ = 0;
  clean_since_ = now;
}

}  // namespace graspd::sync
