// What becomes of events that were given to the store.
#pragma once
#include <vector>

#include "grasp/policy_state.h"

namespace graspd::grasp {

// An event was accepted; `outcome` is what the store said, `origin` where it came from.
void apply_written(PolicyState& state, const nostr::WireEventPtr& wire, store::Outcome outcome,
                   const Origin& origin, core::UnixSeconds now, Transition& changes);

// Written together with an event that no longer waits.
std::vector<store::Note> notes_of_release(const PolicyState& state, const store::Snapshot& here,
                                          const nostr::Event& event);
// The same for one that waited for git data; `here` is what the store has since.
void released(PolicyState& state, const store::Snapshot& here, const nostr::WireEventPtr& wire,
              store::Outcome outcome, Transition& changes);

}  // namespace graspd::grasp
