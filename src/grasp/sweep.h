// What happens because time has passed.
#pragma once
#include "grasp/policy_state.h"

namespace graspd::grasp {

// Ends what has waited, been remembered or been served for long enough, and tries again what is
// due.
void sweep(PolicyState& state, const store::Snapshot& here, core::UnixSeconds now,
           Transition& changes);

}  // namespace graspd::grasp
