// Everything the policy knows, by what it is, and the changes that concern several parts at once.
// It is a value: a copy costs next to nothing, and several threads may ask one at the same time.
//
//   R1  Each part owns its maps and the format of its notes. What is in none of them is in the
//       store, or is forgotten at a restart.
//   R2  Whatever changes here is also told to the Transition that is handed in: what is written
//       down then is what a restart reads.
//   R3  What is committed is applied by one function, whatever brings it: a stored event by
//       apply_stored(), a note by apply(). A start does nothing else.
//
// Other rule numbers are those of grasp/policy.h.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "grasp/archived_threads.h"
#include "grasp/catalog.h"
#include "grasp/deletion_requests.h"
#include "grasp/expirations.h"
#include "grasp/history.h"
#include "grasp/new_repositories.h"
#include "grasp/newest_seen.h"
#include "grasp/purgatory.h"
#include "grasp/rejections.h"
#include "grasp/rules.h"
#include "grasp/scheduled_removals.h"
#include "grasp/stranger_pool.h"
#include "grasp/transition.h"
#include "store/event_store.h"

namespace graspd::grasp {

// Which state rules a repository: the newest with authority, served or waiting.
struct Ruling {
  nostr::Version version;
  bool waiting = false;
};

// Of an announcement or state: its `d`, and whose.
std::optional<Coordinate> key_of(const nostr::Event& event);

struct PolicyState {
  // Guests that are looked at on one occasion: whether one is due may take some hundred
  // microseconds where people list each other.
  static constexpr std::size_t kGuestsMax = 64;

  explicit PolicyState(std::shared_ptr<const Rules> with_rules);

  const Rules& rules() const { return *current_rules; }
  // The operator, or somebody with a say in a repository that is served.
  bool is_at_home(const nostr::PublicKey& who) const;
  // Waits, and need not: its coordinate is served, or it is a guest of one that is.
  bool is_due(const Listing& listing) const;
  // What waits under the event's key, this version or another.
  const Held* held_like(const nostr::Event& event) const;

  std::optional<Ruling> ruling(const Coordinate& repo) const;

  // R3. An announcement or a state is in the store, and counts. Others change nothing.
  void apply_stored(const nostr::Event& event, Transition& changes);
  // They do not count any more. A repository's data follows later.
  void forget_announcement(const Coordinate& coordinate, core::UnixSeconds now,
                           Transition& changes);
  void forget_waiting_state(const Coordinate& key, Transition& changes);
  void forget_served_state(const Coordinate& key, Transition& changes);
  core::UnixSeconds removal_due(const Listing& listing, core::UnixSeconds now) const;
  void archive_threads(const Listing& gone, core::UnixSeconds now, Transition& changes);
  // Nothing waits for this event any more.
  void give_up(const nostr::Event& event, Transition& changes);
  void forget_pooled(const nostr::EventId& id, Transition& changes);
  void list_waiting(const store::Snapshot& here, Transition& changes);
  void list_waiting(const Coordinate& key, const store::Snapshot& here, Transition& changes);

  // R3. The entry is as the note says, or gone. False when the note cannot be read.
  bool apply(std::string_view key, std::optional<std::string_view> value, Transition& changes);
  // Everything that a restart must find, as notes; what is in the catalog likewise.
  std::map<std::string, std::string> contents() const;

  void raise_newest_seen(const Coordinate& coordinate, const nostr::Version& version, Place place,
                         core::UnixSeconds now, Transition& changes);
  void raise_newest_state(const Coordinate& key, const nostr::Version& version,
                          core::UnixSeconds now, Transition& changes);

  // Tells those who were refused for lack of this, or because of it.
  void call_wanted(const Coordinate& announcement);
  void call_end(const nostr::Event& event);
  void retry_guests(const Coordinate& served, Transition& changes) const;

  std::shared_ptr<const Rules> current_rules;
  Catalog catalog;
  Purgatory purgatory;
  NewRepositories new_repositories;
  Rejections rejections;
  NewestSeen newest_announcements{"floor/"}, newest_states{"state-floor/"};
  ScheduledRemovals removals;
  ArchivedThreads threads;
  Expirations expirations;
  DeletionRequests requests;
  StrangerPool stranger_requests, stranger_lists;
  std::size_t next_guest = 0;  // to be looked at with a sweep
  // Found at a start: what goes and comes back because of the lists or its date, and what is to be
  // written with the next sweep.
  Transition relisting, owed;
  // Found at a start: served repositories that list the service of the last run, and not this one.
  struct Stranded {
    std::string domain;
    std::size_t repositories = 0;
  };
  Stranded stranded;

 private:
  void store_announcement(const nostr::Event& event, Transition& changes);
  void store_state(const nostr::Event& event, Transition& changes);
};

}  // namespace graspd::grasp
