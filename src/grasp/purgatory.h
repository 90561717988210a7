// Events that were taken but are not served until their git data is here, and git data that is
// here but that no signed event names yet.
//
//   R1  Every change is also a note: what is held, and until when, survives a crash as it is.
//   R2  Announcements are keyed by coordinate, states by author and identifier (an author's newest
//       only), pull requests by id. Nothing is keyed by identifier alone: a stranger's repository
//       of the same name shares nothing.
//   R3  Time is up after `patience`. A state or pull request is then dropped and its id remembered
//       for a week: a copy that comes by sync is not taken again. An announcement sleeps for a day
//       more: its repository is gone, but a state or a new version wakes it. Nothing waits beyond
//       the time at which it expires (NIP-40).
//   R4  What concerns an announcement (an authorised state, a push, a new version) gives it the
//       full time again.
//   R5  Bounded per author and in all. When all of it is taken, those who have most of it can be
//       told, and what they would lose first: nobody fills it to keep others out.
//   R6  Git data that no event names yet (grasp/uploads.h) has a term of its own.
//   R7  Announcements are bounded in number besides: per address, per relay they were synced from,
//       and in all (grasp/announcement_sources.h).
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/announcement.h"
#include "grasp/announcement_sources.h"
#include "grasp/newest_states.h"
#include "grasp/pull_request.h"
#include "grasp/repo_state.h"
#include "grasp/shelf.h"
#include "grasp/transition.h"
#include "grasp/uploads.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct PurgatoryLimits {
  core::UnixSeconds patience = 30 * 60;
  core::UnixSeconds sleep = 24 * 3600;          // of announcements, after that (R3)
  core::UnixSeconds upload_patience = 20 * 60;  // of refs/nostr/<id> without an event
  core::UnixSeconds memory = 7 * 24 * 3600;     // of expired ids
  std::size_t events_per_author_max = 200;      // a migration announces many at once
  std::size_t bytes_per_author_max = 8 * 1024 * 1024;
  std::size_t bytes_max = 256 * 1024 * 1024;  // of all events
  std::size_t expired_max = 100'000;
  // An announcement costs memory while it waits, and sleeping ones still count: by default all of
  // them, and what one address (IPv4, or IPv6 /64) may send at most. Hundreds are a migration; a
  // relay from which repositories are synced may bring thousands. 0: no limit.
  std::size_t announcements_max = 20'000;
  std::size_t announcements_per_address_max = 500;
  std::size_t announcements_per_relay_max = 5'000;
  UploadLimits uploads;
};

struct Held {
  nostr::WireEventPtr event;
  core::UnixSeconds expires = 0;
  bool asleep = false;      // R3
  bool synced = false;      // came from a peer, not from a person
  std::string source = {};  // of an announcement (grasp/announcement_sources.h)
};
struct HeldState : Held {
  RepoState state;
};
struct HeldPull : Held {
  PullRequest pull;
};

class Purgatory {
 public:
  // Announcements and states: of whose `d`. Same order as coordinates, so that those of one
  // identifier lie together.
  using Key = Coordinate;

  explicit Purgatory(PurgatoryLimits limits = {}) : limits_(limits), uploads_(limits_.uploads) {}

  enum class Room { Yes, AuthorFull, Full };
  // `instead_of` goes when the event comes, if it is given.
  Room space_for(const nostr::WireEvent& event, const Held* instead_of = nullptr) const;

  // R7. Of announcements that come from `source`.
  enum class Place { Yes, SourceFull, Full };
  Place place_for(const Key& key, const std::string& source, bool synced) const;
  std::optional<Key> next_to_go(const std::string& source) const {
    return sources_.next_to_go(source);
  }
  const PurgatoryLimits& limits() const { return limits_; }

  // R5. Of those who `may_lose` something, who has most.
  using MayLose = std::function<bool(const nostr::PublicKey& author)>;
  std::optional<nostr::PublicKey> heaviest(const MayLose& may_lose) const;
  std::size_t bytes_of(const nostr::PublicKey& author) const;
  // In the order in which they would go.
  std::vector<nostr::WireEventPtr> held_by(const nostr::PublicKey& author) const;

  void hold_announcement(const Key& key, Held held, Transition& changes);
  void hold_state(HeldState held, Transition& changes);
  void hold_pull(HeldPull held, Transition& changes);
  core::UnixSeconds deadline(core::UnixSeconds now) const { return now + limits_.patience; }

  const Held* announcement(const Key& key) const;
  const HeldState* state(const Key& key) const;
  const HeldState* state(const nostr::EventId& id, const Identifier& identifier) const;
  const HeldPull* pull(const nostr::EventId& id) const;
  std::vector<const HeldState*> states(const Identifier& identifier) const;
  bool has_states(const Identifier& identifier) const;
  std::optional<nostr::Version> newest_state(const Identifier& identifier,
                                             const std::set<nostr::PublicKey>& members) const;
  std::vector<nostr::EventId> pulls(
      const Identifier& identifier,
      std::size_t max = std::numeric_limits<std::size_t>::max()) const;
  std::size_t pull_count(const Identifier& identifier) const;
  std::vector<Key> announcements() const;
  std::vector<Key> announcements_of(const nostr::PublicKey& owner) const;
  std::vector<Key> states_of(const nostr::PublicKey& author) const;
  std::vector<nostr::EventId> pulls_of(const nostr::PublicKey& author) const;
  std::vector<nostr::WireEventPtr> events() const;  // all
  std::set<Identifier> identifiers() const;         // that something waits for

  // R4. True when it was asleep.
  bool extend(const Key& announcement, core::UnixSeconds now, Transition& changes);
  void extend_state(const Key& key, core::UnixSeconds now, Transition& changes);
  void extend_pull(const nostr::EventId& id, core::UnixSeconds now, Transition& changes);
  // Somebody brings in person what a peer had sent: it is theirs, and has the full time.
  void claim(HeldState held, core::UnixSeconds now, Transition& changes);
  void claim(HeldPull held, core::UnixSeconds now, Transition& changes);

  // The note of what is held under the key of this event, whichever version that is: for when a
  // note was erased together with an older version.
  void note_again(const nostr::Event& event, Transition& changes) const;

  void drop_announcement(const Key& key, Transition& changes);
  void drop_state(const Key& key, Transition& changes);
  void drop_pull(const nostr::EventId& id, Transition& changes);

  bool has_space(const Upload& upload) const;
  // The tokens of those that went for it.
  std::vector<std::string> put_upload(Upload upload, Transition& changes);
  void drop_upload(const std::string& token, Transition& changes);
  std::vector<Upload> uploads(const nostr::EventId& event) const { return uploads_.of(event); }
  std::set<std::string> upload_tokens() const { return uploads_.tokens(); }
  core::UnixSeconds upload_deadline(core::UnixSeconds now) const {
    return now + limits_.upload_patience;
  }

  bool contains(const nostr::EventId& id) const { return authors_.contains(id); }
  bool has_expired(const nostr::EventId& id) const { return expired_.contains(id); }

  struct Expiry {
    std::vector<Coordinate> asleep;  // their empty repositories go
    std::vector<Coordinate> announcements;
    std::set<Identifier> stateless;           // a state of theirs was given up
    std::vector<nostr::WireEventPtr> events;  // all that were given up
    std::vector<Upload> uploads;
  };
  Expiry expire(core::UnixSeconds now, Transition& changes);

  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them
  static constexpr std::string_view kNotePrefix = "purgatory/";

  std::size_t size() const { return announcements_.size() + states_.size() + pulls_.size(); }

 private:
  struct Share {
    std::size_t events = 0, bytes = 0;
  };
  void count(const Held& held, std::ptrdiff_t by);
  void remember(const nostr::EventId& id, core::UnixSeconds now, Transition& changes);
  void prolong(Held& held, core::UnixSeconds now) const;
  void note_expired(const nostr::EventId& id, core::UnixSeconds when);
  void forget(nostr::EventId id, Transition& changes);
  void expire_announcements(core::UnixSeconds now, Transition& changes, Expiry& expiry);
  void forget_expired(core::UnixSeconds now, Transition& changes);
  void index_pull(const HeldPull& held, bool add);
  bool restore_event(std::string_view kind, std::string_view value);

  PurgatoryLimits limits_;
  Shelf<Key, Held> announcements_;
  AnnouncementSources sources_;
  Shelf<Key, HeldState> states_;
  core::PersistentMap<Identifier, NewestStates> states_by_identifier_;
  Shelf<nostr::EventId, HeldPull> pulls_;
  core::PersistentMap<Identifier, core::PersistentSet<nostr::EventId>> pulls_by_identifier_;
  Uploads uploads_;
  core::PersistentMap<nostr::EventId, core::UnixSeconds> expired_;
  core::PersistentSet<std::pair<core::UnixSeconds, nostr::EventId>> expired_by_time_;
  core::PersistentMap<nostr::PublicKey, Share> by_author_;
  core::PersistentSet<std::pair<std::size_t, nostr::PublicKey>> by_weight_;
  core::PersistentMap<nostr::EventId, nostr::PublicKey> authors_;  // of all that is held
  std::size_t bytes_ = 0;
};

}  // namespace graspd::grasp
