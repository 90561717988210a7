// Repositories that nobody signs any more.
//
//   R1  When the last served state goes that rules a served repository, because it was deleted, has
//       expired, or its signer vanished, the repository is withdrawn: its announcement waits again,
//       as if its data had never come, and what hangs on it is archived. Its branches and tags go
//       with the next alignment (serve/host/state_aligner.h).
//   R2  Its data and its threads are kept as long as those of a deleted repository. A new state
//       whose data is here, or comes, brings all of it back.
//   R3  Only repositories are looked at over which the author of the state has authority: nobody
//       ends the service of a stranger's repository of the same name.
//   R4  A repository whose people lose their authority is not withdrawn: who may sign changes at
//       once, and what was signed before stays.
#pragma once
#include <vector>

#include "grasp/policy_state.h"

namespace graspd::grasp {

// R1, R3. Served repositories that the author's state ruled and that no served state rules in
// `after`, the catalog without that state.
std::vector<Coordinate> left_unsigned(const Catalog& after, const nostr::PublicKey& author,
                                      const Identifier& identifier);
// R1. `announcement` is the version that waits from now on: the one that is served, or an earlier
// one that was to come back in its place.
void withdraw(PolicyState& state, const nostr::WireEventPtr& announcement, core::UnixSeconds now,
              Transition& changes);
// The same for the version that is served.
void withdraw(PolicyState& state, const Coordinate& repo, const store::Snapshot& here,
              core::UnixSeconds now, Transition& changes);

}  // namespace graspd::grasp
