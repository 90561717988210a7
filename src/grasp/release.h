// Events that waited for git data and are given to the store.
#pragma once
#include <vector>

#include "grasp/policy_state.h"

namespace graspd::grasp {

// Written together with an event that no longer waits.
std::vector<store::Note> notes_of_release(const PolicyState& state, const store::Snapshot& here,
                                          const nostr::Event& event);
// It was given to the store; `outcome` is what the store said, `here` what it has since.
void released(PolicyState& state, const store::Snapshot& here, const nostr::WireEventPtr& wire,
              store::Outcome outcome, Transition& changes);

}  // namespace graspd::grasp
