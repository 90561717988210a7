// What a transaction changes besides adding new events. It is one list, so that whoever passes it
// on passes on all of it.
#pragma once
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "store/event_store.h"

namespace graspd::store {

// An event goes out of service.
struct Remove {
  nostr::EventId id;
};
// An event that was stored before is stored again, after the new events.
struct Restore {
  nostr::WireEventPtr event;
};
// After all events: a request is revoked, another event goes out of service (W11).
struct Revoke {
  nostr::EventId id;
};

using Change = std::variant<Note, Remove, Restore, Revoke>;
using Changes = std::vector<Change>;

// The same by what a Batch asks for, each in its order.
struct SortedChanges {
  std::vector<nostr::WireEventPtr> restored;
  std::vector<nostr::EventId> removals;
  std::vector<Note> notes;
  std::vector<nostr::EventId> revoked;

  void add(Note note) { notes.push_back(std::move(note)); }
  void add(Remove remove) { removals.push_back(remove.id); }
  void add(Restore restore) { restored.push_back(std::move(restore.event)); }
  void add(Revoke revoke) { revoked.push_back(revoke.id); }
  void add(Changes changes) {
    for (Change& change : changes) std::visit([this](auto& one) { add(std::move(one)); }, change);
  }
};

inline void append(Changes& to, Changes more) {
  to.insert(to.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

}  // namespace graspd::store
