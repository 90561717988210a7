// A transaction that failed leaves no trace: what it would have written is as the store has it.
#pragma once
#include <span>
#include <string>

#include "grasp/policy_state.h"

namespace graspd::grasp {

// `note_keys` are those of the notes that were decided in that transaction; `left` is what was to
// follow from it. Nothing of it happens; what was to be tried again is tried again later.
void revert(PolicyState& state, const store::EventStore& store,
            std::span<const std::string> note_keys, const Transition& left, core::UnixSeconds now,
            Transition& changes);

}  // namespace graspd::grasp
