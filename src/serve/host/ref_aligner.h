// Brings the repositories of one identifier in line with what is signed, and releases the events
// that waited for it. Refs of hosted repositories are moved here and nowhere else: branches and
// tags by state_aligner.h, pull requests by pull_aligner.h.
//
//   R1  A repository follows the newest state with authority over it once all objects the state
//       names are in that repository. What another repository has counts only when the same state
//       rules both: then the history is copied there. Naming somebody's object does not get it
//       served. Whatever objects lie in a repository, a ref is set only to a history that is whole:
//       packs may hold more than they are for, and come from anybody.
//   R2  Refs and HEAD first, then the events: the announcement, the state, the pull requests. Who
//       sees the event finds the data.
//   R3  A waiting state that does not rule (a newer one does) is released when its data is here,
//       and moves nothing.
//   R4  A pull request is released when its commit is in one of the repositories it concerns, or
//       lies in quarantine for it; refs/nostr/<id> then appears in all of them. What lies in a PR
//       repository (pr_repositories.h) for it counts too, and is copied into the repositories.
//       Objects go only between repositories that have a maintainer in common.
//   R5  Strangers may point their announcements at somebody and so have their repositories ruled by
//       others' states. What they are to get is copied when nobody waits (alignment_scope.h).
//   R6  A branch is a commit. A state that declares it elsewhere only waits.
//   R7  Repositories are locked one by one, briefly, and what is copied from one does not hold up
//       pushes into it. Several alignments may be about the same repositories: each repository is
//       moved only to the state that rules it while its lock is held.
//   R8  Pull requests are looked at together. What one more of them costs does not grow with those
//       that wait or have a ref already: refs are found by their name, and set in few
//       transactions. Between two of these the lock of the repository is free.
//   R9  Of the pull requests that merely wait, whoever waits for an answer waits for at most
//       kPullsAtOnce, however many there are and however many come meanwhile; who sent a state
//       waits for none that it can do nothing for. The rest follow when there is time.
//   R10 What follows when there is time is no more than may have changed: after a state, the
//       repositories that its author rules.
//   R11 A repository whose announcement waits has no branches and tags: nobody signs them. What is
//       about to be released has those of the state that rules it.
//   R12 A state that names a commit of an unsigned upload into a repository that it rules adopts
//       it: the history is copied there. The upload still waits for its own event.
#pragma once
#include <utility>

#include "serve/host/pull_aligner.h"
#include "serve/host/state_aligner.h"

namespace graspd::serve {

class RefAligner {
 public:
  using Proven = ProvenTips;
  using Result = AlignmentResult;

  RefAligner(Hosting& hosting, grasp::Identifier identifier)
      : context_{hosting, std::move(identifier)} {}

  // Blocks: for worker threads.
  Result run(AlignmentScope scope, Proven proven = {});

 private:
  void look_for_more();
  bool release();  // what was collected; false when there was nothing, or it failed

  AlignmentContext context_;
  StateAligner states_{context_};
  PullAligner pulls_{context_};
};

}  // namespace graspd::serve
