// Requests to delete (kind 5) and to vanish (kind 62): how long they are served, and how long they
// keep out what they name.
//
//   R1  A request that was never used is served for `unused_served` after it came, keeps out what
//       it names for `unused_remembered` more, and is forgotten then.
//   R2  A request is used when it keeps an event out. From then on the terms begin with its last
//       use. One that was no longer served is served again.
//   R3  The server's clock counts, not the date of the request.
//   R4  One note each: request/<id> = "<came> <last used, or 0> <0: no longer served, 1: served,
//       2: a request to vanish>\n<author>\n<the event, when it is no longer served>". The store
//       still rejects what such a request names.
//   R5  A use is written down once a day at the most: whoever sends deleted events again and again
//       costs no writes.
//   R6  A request to vanish is served as long as it is obeyed: the store would reject it like
//       everything else that its author wrote before.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/time.h"
#include "grasp/transition.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct RequestRetention {
  core::UnixSeconds unused_served = 30 * 24 * 3600;
  core::UnixSeconds unused_remembered = 180 * 24 * 3600;
  core::UnixSeconds used_served = 270 * 24 * 3600;
  core::UnixSeconds used_remembered = 90 * 24 * 3600;
};

class DeletionRequests {
 public:
  static constexpr std::string_view kNotePrefix = "request/";
  static constexpr core::UnixSeconds kUseGranularity = 24 * 3600;

  struct Term {
    core::UnixSeconds came = 0, used = 0;
    bool served = true;
    bool to_vanish = false;
    nostr::PublicKey author;
  };

  explicit DeletionRequests(const RequestRetention& retention) : retention_(retention) {}

  const Term* find(const nostr::EventId& id) const { return terms_.find(id); }
  // Requests of this author that are remembered and no longer served.
  std::vector<nostr::EventId> unserved_of(const nostr::PublicKey& author) const;

  // A request comes. One that is known keeps its term.
  void add(const nostr::Event& request, core::UnixSeconds now, Transition& changes);
  void erase(const nostr::EventId& id, Transition& changes);
  // R2. `here` has the request, stored or in its note.
  void used(const nostr::EventId& id, const store::Snapshot& here, core::UnixSeconds now,
            Transition& changes);
  // R1. What is no longer served, or forgotten.
  void sweep(const store::Snapshot& here, core::UnixSeconds now, Transition& changes);

  // Of a request that is no longer served; nullptr when it cannot be read.
  static nostr::WireEventPtr unserved(const nostr::EventId& id, const store::Snapshot& here);

  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // without the events

 private:
  core::UnixSeconds due(const Term& term) const;
  void put(const nostr::EventId& id, const Term& term);
  void drop(nostr::EventId id);
  void end_service(const nostr::EventId& id, const store::Snapshot& here, Transition& changes);
  void forget(const nostr::EventId& id, const store::Snapshot& here, Transition& changes);

  RequestRetention retention_;
  core::PersistentMap<nostr::EventId, Term> terms_;
  core::PersistentSet<std::pair<core::UnixSeconds, nostr::EventId>> by_due_;
  core::PersistentMap<nostr::PublicKey, core::PersistentSet<nostr::EventId>> unserved_;
};

}  // namespace graspd::grasp
