// Events that the store has, as what they say.
#pragma once
#include <optional>

#include "grasp/pull_request.h"
#include "grasp/repo_state.h"
#include "store/event_store.h"

namespace graspd::serve {

// Nothing: it is not stored, or is no such event.
std::optional<grasp::RepoState> stored_state(const store::EventStore& store,
                                             const nostr::EventId& id);
// A pull request or an update of one.
std::optional<grasp::PullRequest> stored_pull(const store::EventStore& store,
                                              const nostr::EventId& id);

}  // namespace graspd::serve
