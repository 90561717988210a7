// How far a relay's small answers are believed (sync.md §6.3): relays cap silently, and some at
// very little.
//
//   R1  A small answer without a hint may be all that the relay gives at a time. While it never
//       gave more, it is asked by id for more events that it has; where there are none to ask for,
//       all is read again after a while.
//   R2  When an answer that was taken for whole turns out to be as large as the relay's answers
//       get, all is read again: at once, or after a wait that doubles when it happens again.
//   R3  Ids that were left out of a probe are asked for once more: when they come then, the relay
//       holds back; when they do not, it has lost them.
//   R4  A larger answer vouches for a small one only if it came earlier or soon after. A relay in
//       trouble gives less for a while: what it answers when it is well again says nothing about
//       then, so all is read again.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sync/batches.h"
#include "sync/wires.h"

namespace graspd::sync {

class AnswerTrust {
 public:
  AnswerTrust(PeerContext& peer, Wires& wires, const Batches& batches);

  void remember_given(const nostr::EventId& id);     // an event that it has
  void gave(core::Now now, std::size_t count);       // for one filter, other than a page
  void page_came(core::Now now, std::size_t count);  // of that many events
  void check(core::Now now);                         // R2, R4
  bool is_open() const;                              // a probe would tell more
  // It held back when this job was read, and gave no more since.
  bool holds_back(const Job& job) const;

  bool send_probe(core::Now now);  // true when it was sent
  void probe_ended(core::Now now, const Wire& wire);

  void plan_recheck(core::Now now);
  bool is_reread_due(core::Now now);  // all is to be read again now
  void add_due(Soonest& due) const;

 private:
  void read_again(core::Now now);
  std::optional<bool> vouched_in_time() const;
  bool wants_recheck() const;
  bool wants_probe() const;
  std::size_t known() const;  // events that can be asked for at once

  PeerContext& peer_;
  const Options& options_;
  RelayMemory& memory_;
  Wires& wires_;
  const Batches& batches_;
  std::vector<nostr::EventId> rest_;  // left out of the probe before
  std::size_t given_ = 0;             // with that probe
  core::Instant not_before_{};
};

}  // namespace graspd::sync
