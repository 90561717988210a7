// Superseded versions of announcements and states. Deleting the newest version by its id restores
// the previous one.
//
//   R1  One note per version, oldest first:
//       history/<kind>/<author>/<identifier>/<created_at>/<id> = the event
//   R2  At most kVersionsMax per coordinate; the oldest are dropped.
//   R3  What a deletion covers is removed here too. When a repository moves to another server, no
//       version is kept that could be restored.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grasp/coordinate.h"
#include "grasp/transition.h"
#include "nostr/replaceable.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp::history {

inline constexpr std::size_t kVersionsMax = 8;

struct Past {
  nostr::Kind kind;
  Coordinate coordinate;
  nostr::Version version;

  nostr::Address address() const;
  store::Note note(std::optional<std::string> json) const;
};

// The kinds of which versions are kept.
bool is_kept(nostr::Kind kind);
std::optional<Past> past_of(const nostr::Event& event);

std::vector<Past> all(const store::Snapshot& here);
// Oldest first.
std::vector<Past> of_author(const store::Snapshot& here, nostr::Kind kind,
                            const nostr::PublicKey& author);
std::vector<Past> of(const store::Snapshot& here, nostr::Kind kind, const Coordinate& coordinate);
nostr::WireEventPtr find(const store::Snapshot& here, const Past& past);

// What is written together with an event that takes the place of the stored one.
std::vector<store::Note> succession(const store::Snapshot& here, const nostr::Event& successor);
// The same for one that is about to be stored itself.
std::vector<store::Note> keep(const store::Snapshot& here, const nostr::WireEvent& superseded);

// Of one coordinate, no longer kept.
void forget(const store::Snapshot& here, nostr::Kind kind, const Coordinate& coordinate,
            Transition& changes);

}  // namespace graspd::grasp::history
