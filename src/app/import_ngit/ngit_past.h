// What ngit-grasp (3.x) keeps besides what it serves: superseded versions of announcements and
// states, and the events of repositories that were deleted.
//
//   R1  A superseded version becomes a version of grasp/history.h; of each coordinate the newest
//       are taken.
//   R2  Held events become threads of grasp/held_threads.h: of the held announcement to which they
//       refer, by whatever chain. They come back when the repository is announced again, and keep
//       the full time from the import on. Events that refer to no held announcement are left.
//   R3  Only verified events are taken. Records of its own (kinds 9905 to 9907) say nothing that is
//       needed here.
#pragma once
#include <cstddef>
#include <vector>

#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::app {

// R1
std::vector<store::Note> notes_of_versions(const std::vector<nostr::WireEventPtr>& versions);

struct HeldByNgit {
  std::vector<store::Note> notes;
  std::size_t repositories = 0, events = 0;
};
// R2. `due`: when they are forgotten.
HeldByNgit notes_of_held(const std::vector<nostr::WireEventPtr>& held, core::UnixSeconds due);

}  // namespace graspd::app
