// The times in which we do not read from a relay: its silence is ours then (sync.md §13).
//
//   R1  While we do not read, nothing of the relay is late. What we hear afterwards is old: what
//       ended then, ended when we stopped reading.
//   R2  A relay that was read again a moment ago is still held back: until then it is not caught
//       up.
//   R3  An operator is told once that a relay sends more than it may.
#pragma once
#include <optional>

#include "sync/peer_context.h"

namespace graspd::sync {

class ReadingPauses {
 public:
  explicit ReadingPauses(PeerContext& peer) : peer_(peer) {}

  void pause(core::Now now, bool over_budget);
  // How long it was; nullopt: we were reading.
  std::optional<core::Duration> resume(core::Now now);

  bool is_paused() const { return paused_at_.has_value(); }
  bool is_held_back(core::Now now) const;    // we read it slowly, or not at all
  bool is_over_budget(core::Now now) const;  // for what it sends
  // What was heard of the relay is complete until then.
  core::UnixSeconds heard_until(core::Now now) const;

 private:
  PeerContext& peer_;
  std::optional<core::Instant> paused_at_, resumed_at_;
  core::UnixSeconds behind_since_ = 0;  // while it is held back
  bool over_budget_ = false, is_logged_ = false;
};

}  // namespace graspd::sync
