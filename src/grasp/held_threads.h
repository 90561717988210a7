// The thread archive: events that belonged to a deleted announcement, kept as notes of the store
// until it is announced again or their time is over.
//
//   R1  An event is removed and archived in one transaction, and restored in one.
//   R2  They are read in parts, because there may be thousands.
#pragma once
#include <span>
#include <vector>

#include "grasp/coordinate.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp::held_threads {

// A note that keeps the event as it is in the store; nothing if it is not there.
std::optional<store::Note> keeping(const Coordinate& gone, const nostr::EventId& id,
                                   const store::Snapshot& here);
store::Note keeping(const Coordinate& gone, const nostr::WireEvent& event);
store::Note letting_go(const Coordinate& gone, const nostr::EventId& id);

core::Result<std::vector<nostr::EventId>, store::StoreError> all(const Coordinate& gone,
                                                                 const store::Snapshot& here);
std::vector<nostr::WireEventPtr> read(const Coordinate& gone, std::span<const nostr::EventId> ids,
                                      const store::Snapshot& here);

}  // namespace graspd::grasp::held_threads
