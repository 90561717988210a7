// What ngit-grasp keeps in files beside its stores: events that wait for git data
// (purgatory-state.json) or for being saved (.grasp/pending-saves).
#pragma once
#include <cstdint>
#include <vector>

#include "nostr/event.h"

namespace graspd::nostr {

struct SavedPurgatory {
  struct Entry {
    Event event;
    std::uint64_t expires_in = 0;  // seconds after saved_at; 0: it does not say
    bool synced = false;           // from a peer, not from a person
  };
  core::UnixSeconds saved_at = 0;
  std::vector<Entry> entries;
};

}  // namespace graspd::nostr
