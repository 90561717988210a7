#include "sync/pace.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr std::uint32_t kPerMinuteMin = 6;
constexpr std::uint32_t kPerMinuteMax = 600;
constexpr std::uint32_t kMany = 50;
constexpr std::int64_t kToken = 60'000;
constexpr std::int64_t kBurst = 20 * kToken;
constexpr core::Duration kCleanSpell = 10min;
// A minute as the relay counts it, and some time for a request on its way.
constexpr core::Duration kMinute = 62s;

}  // namespace

Pace Pace::unlimited(core::Instant now) {
  Pace pace(now);
  pace.unlimited_ = true;
  return pace;
}

void Pace::refill(core::Instant now) {
  while (now - clean_since_ >= kCleanSpell && per_minute_ < kPerMinuteMax) {  // R1
    per_minute_ = std::min(2 * per_minute_, kPerMinuteMax);
    if (minute_max_) *minute_max_ *= 2;
    if (minute_max_ && *minute_max_ >= per_minute_) minute_max_.reset();
    clean_since_ += kCleanSpell;
  }
  const core::Duration elapsed = std::clamp(now - refilled_at_, core::Duration(0), 10min + 0ms);
  parts_ = std::min(parts_ + elapsed.count() * per_minute_, kBurst);
  refilled_at_ = std::max(refilled_at_, now);
  while (!taken_.empty() && now - taken_.front() >= kMinute) taken_.pop_front();
}

core::Instant Pace::ready_at(core::Instant now) {
  if (unlimited_) return now;
  refill(now);
  core::Instant ready = now;
  if (minute_max_ && taken_.size() >= *minute_max_) {  // R3
    ready = taken_[taken_.size() - *minute_max_] + kMinute;
  }
  if (parts_ >= kToken) return ready;
  const std::int64_t missing = kToken - parts_;
  return std::max(ready, now + core::Duration((missing + per_minute_ - 1) / per_minute_));
}

void Pace::take(core::Instant now) {
  if (unlimited_) return;
  refill(now);
  CHECK(parts_ >= kToken);
  parts_ -= kToken;
  taken_.push_back(now);
}

std::uint32_t Pace::per_minute() const {
  if (unlimited_) return 0;
  return std::min(per_minute_, minute_max_.value_or(per_minute_));
}

bool Pace::allows_many() const { return unlimited_ || per_minute() >= kMany; }

void Pace::refused(core::Instant now) {  // R2
  if (unlimited_) return;
  refill(now);
  per_minute_ = std::max(per_minute_ / 2, kPerMinuteMin);
  parts_ = 0;
  clean_since_ = now;
  if (!taken_.empty()) taken_.pop_back();  // what was refused does not count
  minute_max_ = std::max(static_cast<std::uint32_t>(taken_.size()), kPerMinuteMin);  // R3
}

}  // namespace graspd::sync
