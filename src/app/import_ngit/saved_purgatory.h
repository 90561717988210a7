// What ngit-grasp keeps in files beside its stores: events that wait for git data
// (purgatory-state.json) or for being saved (.grasp/pending-saves).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "nostr/event.h"

namespace graspd::app {

struct SavedPurgatory {
  struct Entry {
    nostr::Event event;
    std::uint64_t expires_in = 0;  // seconds after saved_at; 0: it does not say
    bool synced = false;           // from a peer, not from a person
  };
  core::UnixSeconds saved_at = 0;
  std::vector<Entry> entries;
};

// The failure is what is wrong with the text.
core::Result<SavedPurgatory, std::string> parse_saved_purgatory(std::string_view text);

}  // namespace graspd::app
