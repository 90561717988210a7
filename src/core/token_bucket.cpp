#include "core/token_bucket.h"

#include <algorithm>

namespace graspd::core {
namespace {

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr std::int64_t kPartsPerToken = kMinute.count();

}  // namespace

TokenBucket::TokenBucket(std::uint32_t per_minute, Instant now)
    : per_minute_(per_minute), parts_(per_minute * kPartsPerToken), refilled_at_(now) {}

bool TokenBucket::take(Instant now) {
  if (per_minute_ == 0) return true;
  refill(now);
  if (parts_ < kPartsPerToken) return false;
  parts_ -= kPartsPerToken;
  return true;
}

void TokenBucket::refill(Instant now) {
  if (now <= refilled_at_) return;
  // A minute fills the bucket, so a longer pause is worth no more and cannot overflow.
  const Duration elapsed = std::min(now - refilled_at_, kMinute);
  parts_ = std::min(parts_ + elapsed.count() * per_minute_, per_minute_ * kPartsPerToken);
  refilled_at_ = now;
}

}  // namespace graspd::core
