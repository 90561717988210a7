// Pull requests that were just sent, and what maintainers say of those that are here.
//
//   R1  A pull request whose commit may be here is looked at with others for the same identifier
//       (pull_batches.h), then its sender is answered.
//   R2  When somebody with authority closes a pull request, it and its updates lose their refs;
//       when it is opened again, they get them back if their commits are still here.
#pragma once
#include <functional>
#include <set>
#include <vector>

#include "relay/acceptance.h"
#include "serve/host/alignments.h"
#include "serve/host/pull_batches.h"

namespace graspd::serve {

class PullIntake {
 public:
  using Touched = std::function<void(const grasp::Coordinate& repository)>;

  // `touched` is told which repositories were written to.
  PullIntake(Hosting& hosting, Alignments& alignments, std::size_t threads, Touched touched);
  void stop() { batches_.stop(); }

  void add(const nostr::WireEventPtr& event, relay::Answer answer);  // R1
  // The answer to an event whose data was looked for.
  void answer_now(const nostr::EventId& id, const relay::Answer& answer) const;

  // R2. Whether a status by this key may matter: cheap, from any thread.
  bool may_set_status(const nostr::PublicKey& by) const;
  // These block: for worker threads.
  void follow_status(const nostr::Event& status);
  void drop_refs(const std::vector<nostr::EventId>& ids,
                 const std::set<grasp::Identifier>& identifiers);

 private:
  std::vector<grasp::Coordinate> carrying(const nostr::EventId& id,
                                          const nostr::PublicKey& by) const;
  void follow_status_in(const grasp::Coordinate& repository,
                        const std::vector<nostr::EventId>& ids);

  Hosting& hosting_;
  Alignments& alignments_;
  const Touched touched_;
  PullBatches batches_;
};

}  // namespace graspd::serve
