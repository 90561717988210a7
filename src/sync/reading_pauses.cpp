#include "sync/reading_pauses.h"

#include <chrono>

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// A relay that is read slowly is held back again within this (R2).
constexpr core::Duration kStillBehind = 5s;

}  // namespace

void ReadingPauses::pause(core::Now now, bool over_budget) {
  if (paused_at_) return;
  if (!is_held_back(now)) behind_since_ = now.unix_seconds;
  paused_at_ = now.instant;
  over_budget_ = over_budget;
  ++peer_.memory.meter.pauses;
  if (!over_budget || is_logged_) return;
  is_logged_ = true;
  peer_.engine.log(
      core::log::Level::Warn,
      "sync: {} sends more than a relay may (NGIT_SYNC_MAX_EVENTS_PER_MINUTE_PER_RELAY, "
      "NGIT_SYNC_MAX_BYTES_PER_MINUTE_PER_RELAY): it is read slowly",
      peer_.memory.url.text());
}

std::optional<core::Duration> ReadingPauses::resume(core::Now now) {
  if (!paused_at_) return std::nullopt;
  const core::Duration span = now.instant - *paused_at_;
  peer_.memory.meter.paused_ms += static_cast<std::uint64_t>(span.count());
  paused_at_.reset();
  resumed_at_ = now.instant;
  return span;
}

bool ReadingPauses::is_held_back(core::Now now) const {
  return paused_at_ || (resumed_at_ && now.instant - *resumed_at_ < kStillBehind);
}

bool ReadingPauses::is_over_budget(core::Now now) const {
  return over_budget_ && is_held_back(now);
}

core::UnixSeconds ReadingPauses::heard_until(core::Now now) const {
  return is_held_back(now) ? behind_since_ : now.unix_seconds;
}

}  // namespace graspd::sync
