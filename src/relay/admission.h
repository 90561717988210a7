// What no policy takes in: checks of a single event that need neither its signature nor any state,
// so they run first.
#pragma once
#include <optional>
#include <string>

#include "core/time.h"
#include "nostr/event.h"
#include "relay/limits.h"

namespace graspd::relay {

// The reason the event is refused, with its NIP-01 prefix; nullopt when nothing speaks against it.
std::optional<std::string> refuse_at_the_door(const nostr::Event& event, std::size_t event_bytes,
                                              const Limits& limits, core::UnixSeconds now);

}  // namespace graspd::relay
