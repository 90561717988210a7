// Who is a stranger, and what strangers may store (R14 and R15 of grasp/policy.h).
#pragma once
#include "grasp/decisions.h"

namespace graspd::grasp {

// Something of theirs that is stored can be an anchor.
bool takes_part(const nostr::PublicKey& who, const store::Snapshot& here, core::UnixSeconds now);
bool is_stranger(const DecisionContext& context);  // the author
// The event is kept in the pool; what has to go for it is revoked.
void keep_in(StrangerPool& pool, const DecisionContext& context);

}  // namespace graspd::grasp
