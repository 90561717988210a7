// Reads events by id: those that reconciliations found missing, and those that were lost before
// (sync.md §6.1).
//
//   R1  Ids that an answer leaves out are looked up here first: they may have come otherwise. Then
//       they are asked for once more (IdFetchQueue), and then they are lost (LostIds).
//   R2  A relay that gives fewer than were asked for, and never gave many, may give no more at a
//       time: it is asked for fewer, and those that did not come are not blamed.
//   R3  What is not given by id may be given by filter: a job that hardly any id came for is read
//       page by page. A relay that promises very many ids that it does not have is not asked to
//       reconcile any more.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "sync/batches.h"
#include "sync/wires.h"

namespace graspd::sync {

class IdReader {
 public:
  IdReader(PeerContext& peer, Wires& wires, Batches& batches);

  void want(JobKey key, const nostr::EventId& id);  // a reconciliation found it missing
  bool is_far_ahead() const;  // no relay can make us remember all that it makes up

  // True when a request was sent.
  bool send_wanted(core::Now now);
  bool send_lost(core::Now now);

  // All that the request brought was judged, or it failed (R1, R2).
  void ended(const Wire& wire);
  // Of the oldest question: the ids that are not here; nullopt when nothing was asked.
  std::optional<std::vector<nostr::EventId>> looked_up(const LookedUp& in);
  // Those of them that are lost; the others are asked for once more.
  std::vector<nostr::EventId> lost_of(const std::vector<nostr::EventId>& missing);

  // Nobody waits for it any more; the jobs that have all of theirs now.
  std::vector<JobKey> settle(const nostr::EventId& id);
  void recovered(const nostr::EventId& id);  // it was lost, perhaps, and is here now
  // The jobs that waited for it; each is then to be told.
  std::vector<JobKey> lose(core::Now now, const nostr::EventId& id);
  enum class AfterLoss : std::uint8_t { WaitOn, Done, Pages, NoNegentropy };  // R3
  AfterLoss lost_one(JobKey job);

 private:
  Hydration& hydration_of(const Wire& wire);

  PeerContext& peer_;
  RelayMemory& memory_;
  Budget& budget_;
  Wires& wires_;
  Batches& batches_;
  std::deque<std::vector<nostr::EventId>> lookups_;
};

}  // namespace graspd::sync
