// When the announcements, states and pull requests that are served expire (NIP-40). The store stops
// showing them by itself; what git does for them has to end too.
//
//   R1  One note each, under its coordinate or id: a newer version replaces the older one, and a
//       version that never expires removes the note.
//   R2  What expired while the server was down is due at the next start.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/time.h"
#include "grasp/coordinate.h"
#include "grasp/transition.h"
#include "nostr/event.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct Expiring {
  core::UnixSeconds at = 0;
  nostr::Kind kind;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  nostr::PublicKey author;
  std::vector<Coordinate> repositories;  // of an announcement or state: its own

  bool operator==(const Expiring&) const = default;
};

class Expirations {
 public:
  static constexpr std::string_view kNotePrefix = "expiring/";

  void stored(const nostr::Event& event, const std::vector<Coordinate>& repositories,
              Transition& changes);
  void forget(nostr::Kind kind, const Coordinate& key, Transition& changes);
  std::vector<Expiring> take_due(core::UnixSeconds now, Transition& changes);
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them
  std::size_t size() const { return entries_.size(); }

 private:
  void put(const std::string& key, Expiring expiring);
  bool erase(const std::string& key);

  core::PersistentMap<std::string, Expiring> entries_;
  core::PersistentSet<std::pair<core::UnixSeconds, std::string>> by_time_;
};

}  // namespace graspd::grasp
