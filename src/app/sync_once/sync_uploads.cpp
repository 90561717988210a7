#include "app/sync_once/sync_uploads.h"

#include <algorithm>
#include <chrono>

namespace graspd::app {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kUploadPauseFirst = 1s;
constexpr core::Duration kUploadPauseMax = 64s;

}  // namespace

bool SyncUploads::add(const nostr::EventId& id) {
  if (!added_.insert(id).second) return false;  // R1
  waiting_.push_back(id);
  return true;
}

std::optional<nostr::EventId> SyncUploads::next(core::Instant now) {
  if (waiting_.empty() || now < not_before_ || in_flight_.size() >= window_) return std::nullopt;
  const nostr::EventId id = waiting_.front();
  waiting_.pop_front();
  in_flight_.insert(id);
  return id;
}

bool SyncUploads::answered(const nostr::EventId& id) {
  if (in_flight_.erase(id) == 0) return false;
  refusals_ = 0;
  window_ = std::min(window_ + 1, kInFlightMax);  // R2
  return true;
}

void SyncUploads::slow_down(const nostr::EventId& id, core::Instant now) {
  if (in_flight_.erase(id) == 0) return;
  waiting_.push_front(id);
  window_ = 1;
  if (now < not_before_) return;  // one of those that were on the way together
  core::Duration pause = kUploadPauseFirst;
  for (std::uint32_t i = 0; i < refusals_ && pause < kUploadPauseMax; ++i) pause *= 2;  // R3
  not_before_ = now + std::min(pause, kUploadPauseMax);
  ++refusals_;
}

void SyncUploads::put_back(const nostr::EventId& id) { waiting_.push_front(id); }

void SyncUploads::put_all_back() {
  waiting_.insert(waiting_.begin(), in_flight_.begin(), in_flight_.end());
  in_flight_.clear();
}

}  // namespace graspd::app
