// The proof that reads have ended (sync.md §6.3), in few requests.
//
//   R1  One request asks for what lies below several reads of one batch and class. An empty answer
//       ends them all, however the relay caps.
//   R2  Of reads that may have ended with their last page (sync/page_read.h R7) the edge is asked
//       for too: an answer without anything new, with all that is known of the edge, smaller than
//       others of this relay, ends them.
//   R3  Any other answer counts for none of them: they are read one by one.
#pragma once
#include <functional>
#include <vector>

#include "sync/batches.h"
#include "sync/wires.h"

namespace graspd::sync {

class PageProofs {
 public:
  PageProofs(PeerContext& peer, Wires& wires, Batches& batches);

  // The jobs that can share a request with this one; itself first.
  std::vector<JobKey> sharing_with(JobKey key,
                                   const std::function<bool(const Job&)>& may_send) const;
  // To prove that their reads, which have begun, end like this.
  void send(core::Now now, const std::vector<JobKey>& jobs, PageRead::End end, Source source);
  void arrived(Wire& proof, const EventArrived& in);
  bool is_proved(const Wire& wire) const;
  void read_alone(const Wire& wire);  // R3

 private:
  bool speaks_against(Wire& proof, const EventArrived& in) const;

  PeerContext& peer_;
  Wires& wires_;
  Batches& batches_;
};

}  // namespace graspd::sync
