// When a relay is late, and the times in which we do not read from it: its silence is ours then.
#include <algorithm>

#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// A relay that is read slowly is held back again within this: until then it is not caught up.
constexpr core::Duration kStillBehind = 5s;

}  // namespace

void PeerSession::on(core::Now now, const ReadingPaused& in) {
  if (paused_at_) return;
  if (!is_held_back(now)) behind_since_ = now.unix_seconds;
  paused_at_ = now.instant;
  over_budget_ = in.over_budget;
  ++memory_.meter.pauses;
  if (!in.over_budget || over_budget_logged_) return;
  over_budget_logged_ = true;
  context_.log(core::log::Level::Warn,
               "sync: {} sends more than a relay may (NGIT_SYNC_MAX_EVENTS_PER_MINUTE_PER_RELAY, "
               "NGIT_SYNC_MAX_BYTES_PER_MINUTE_PER_RELAY): it is read slowly",
               memory_.url.text());
}

void PeerSession::on(core::Now now, const ReadingResumed& in) {
  (void)in;
  if (!paused_at_) return;
  const core::Duration span = now.instant - *paused_at_;
  const auto later = [&](core::Instant& at) { at = std::min(at + span, now.instant); };
  for (auto& [sub, wire] : wires_) {
    later(wire.opened);
    later(wire.progressed);
  }
  later(auth_asked_at_);
  memory_.meter.paused_ms += static_cast<std::uint64_t>(span.count());
  paused_at_.reset();
  resumed_at_ = now.instant;
}

std::optional<core::Instant> PeerSession::deadline(const Wire& wire) const {
  if (paused_at_) return std::nullopt;  // R10
  const Options& options = context_.options;
  if (wire.purpose == Wire::Purpose::Live) {
    if (live_.at(wire.group).state == LiveGroup::State::Open) return std::nullopt;
    return wire.opened + options.first_frame_max;
  }
  if (wire.unjudged > 0 || wire.more) return std::nullopt;  // it is our turn
  if (wire.heard) return wire.progressed + options.progress_max;
  const bool silent = wire.purpose == Wire::Purpose::Reconcile && wire.sent;
  return wire.opened + (silent ? options.negentropy_silence_max : options.first_frame_max);
}

bool PeerSession::is_held_back(core::Now now) const {
  return paused_at_ || (resumed_at_ && now.instant - *resumed_at_ < kStillBehind);
}

core::UnixSeconds PeerSession::dark_from(core::Now now, const LiveGroup& group) const {
  core::UnixSeconds since = is_held_back(now) ? behind_since_ : now.unix_seconds;
  if (group.state == LiveGroup::State::Opening) since = std::min(since, group.opened);
  return since;
}

bool PeerSession::is_over_budget(core::Now now) const { return over_budget_ && is_held_back(now); }

}  // namespace graspd::sync
