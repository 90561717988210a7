// Two intakes that all relays share (sync.md §6.0, §7).
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/time.h"
#include "sync/names.h"

namespace graspd::sync {

// R1  At most 8 dials at a time, their starts at least 250 ms apart.
// R2  When half of the dials to relays that worked before fail within 60 s, the fault is ours.
//     Relays that were failing already say nothing about our network.
class DialGate {
 public:
  // The time from which another dial may start; nullopt: when one in progress ends.
  std::optional<core::Instant> ready_at(core::Instant now) const;
  void started(core::Instant now);
  void ended() { --in_progress_; }

  void report(core::Instant now, RelayId relay, bool connected);  // of a relay that worked before
  bool fault_is_ours(core::Instant now);
  std::vector<RelayId> accused() const;  // those that failed just now, for a pardon

 private:
  std::size_t in_progress_ = 0;
  std::optional<core::Instant> last_start_;
  std::map<RelayId, std::pair<core::Instant, bool>> results_;  // the last one of each relay
};

// R3  At most 8 relays do history at once, first come first served.
// R4  Who has held a place for a minute while others wait starts nothing new, and goes to the end
//     of the queue when what it started has ended: a slow relay cannot stop the others.
// R5  Who has not ended it after another minute loses its place all the same. What it started goes
//     on: a relay that trickles costs little.
class HistoryGate {
 public:
  // May the relay start a request now? Queues it when not.
  bool enter(RelayId relay, core::Instant now);
  void leave(RelayId relay);  // has nothing running and nothing it could start
  bool must_yield(RelayId relay, core::Instant now) const;
  void yield(RelayId relay);  // was turned away and has nothing running: to the end of the queue
  // Who entered from the queue since the last call.
  std::optional<RelayId> take_admitted(core::Instant now);

 private:
  void put_out_the_slowest(core::Instant now);

  std::map<RelayId, core::Instant> inside_;
  std::deque<RelayId> queue_;
  std::set<RelayId> queued_;
};

}  // namespace graspd::sync
