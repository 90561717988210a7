// What purgatory holds: an event and until when (grasp/purgatory.h).
#pragma once
#include <string>

#include "core/time.h"
#include "grasp/pull_request.h"
#include "grasp/repo_state.h"
#include "nostr/wire_event.h"

namespace graspd::grasp {

struct Held {
  nostr::WireEventPtr event;
  core::UnixSeconds expires = 0;
  bool asleep = false;      // R3 of grasp/purgatory.h
  bool synced = false;      // came from a peer, not from a person
  std::string source = {};  // of an announcement (grasp/announcement_sources.h)
};
struct HeldState : Held {
  RepoState state;
};
struct HeldPull : Held {
  PullRequest pull;
};

}  // namespace graspd::grasp
