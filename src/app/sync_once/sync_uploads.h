// Events on their way to a relay that may ask us to slow down.
//
//   R1  An id is sent once, unless it was rate-limited or lost with its connection.
//   R2  The number in flight adapts to the relay: after a rate limit it starts again with one after
//       a pause, and each answer allows one more, up to kInFlightMax.
//   R3  Pauses double while nothing is accepted; after kRefusalsMax in a row the upload gives up.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "core/time.h"
#include "nostr/keys.h"

namespace graspd::app {

class SyncUploads {
 public:
  static constexpr std::size_t kInFlightMax = 256;
  static constexpr std::uint32_t kRefusalsMax = 8;

  bool add(const nostr::EventId& id);  // false: it was added before
  // The next to send, if one may be sent now.
  std::optional<nostr::EventId> next(core::Instant now);
  // An answer came; false when none was awaited.
  bool answered(const nostr::EventId& id);
  // The answer was that we are too fast (R2). The event goes back.
  void slow_down(const nostr::EventId& id, core::Instant now);
  void put_back(const nostr::EventId& id);  // was answered, shall be sent again
  void put_all_back();                      // the connection is gone

  bool is_done() const { return waiting_.empty() && in_flight_.empty(); }
  bool is_hopeless() const { return refusals_ >= kRefusalsMax; }
  std::size_t in_flight() const { return in_flight_.size(); }
  std::size_t left() const { return waiting_.size() + in_flight_.size(); }

 private:
  std::set<nostr::EventId> added_;
  std::deque<nostr::EventId> waiting_;
  std::set<nostr::EventId> in_flight_;
  std::size_t window_ = kInFlightMax;
  core::Instant not_before_{};
  std::uint32_t refusals_ = 0;  // in a row
};

}  // namespace graspd::app
