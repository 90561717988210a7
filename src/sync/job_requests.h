// Which job is sent next, and as what request (sync.md §6).
//
//   R1  Sweeps bring much for one request: they go before the pages that prove them, and have a
//       slot more, so that a slow page does not keep what is new from being read.
//   R2  Until it is known that a relay reconciles, one attempt tells.
//   R3  Reads that are expected to end in the same way share a request (PageProofs).
#pragma once
#include <optional>
#include <vector>

#include "sync/answer_trust.h"
#include "sync/batches.h"
#include "sync/page_proofs.h"
#include "sync/wires.h"

namespace graspd::sync {

class JobRequests {
 public:
  JobRequests(PeerContext& peer, Wires& wires, Batches& batches, const AnswerTrust& trust,
              PageProofs& proofs);

  bool send_next(core::Now now);  // true when a request was sent

 private:
  std::optional<JobKey> next(core::Now now) const;
  bool may_send(core::Now now, const Job& job) const;
  std::size_t reconciliations_max(core::Now now) const;
  void send(core::Now now, JobKey key);
  void start_pages(Job& job);
  std::uint64_t sweep_limit(const Batch& batch) const;
  std::vector<nostr::Filter> filters_of(const Job& job) const;
  std::optional<std::vector<nostr::Address>> asked_of(const Slice& slice) const;

  SessionContext& context_;
  RelayMemory& memory_;
  const Budget& budget_;
  Wires& wires_;
  Batches& batches_;
  const AnswerTrust& trust_;
  PageProofs& proofs_;
};

}  // namespace graspd::sync
