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
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grasp/announcement.h"
#include "grasp/expired_ids.h"
#include "grasp/held.h"
#include "grasp/held_space.h"
#include "grasp/transition.h"
#include "grasp/uploads.h"
#include "grasp/waiting_announcements.h"
#include "grasp/waiting_pulls.h"
#include "grasp/waiting_states.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct PurgatoryLimits : HeldSpaceLimits, WaitingAnnouncementLimits {
  core::UnixSeconds patience = 30 * 60;
  core::UnixSeconds sleep = 24 * 3600;          // of announcements, after that (R3)
  core::UnixSeconds upload_patience = 20 * 60;  // of refs/nostr/<id> without an event
  core::UnixSeconds memory = 7 * 24 * 3600;     // of expired ids
  std::size_t expired_max = 100'000;
  UploadLimits uploads;
};

class Purgatory {
 public:
  // Announcements and states: of whose `d`. Same order as coordinates, so that those of one
  // identifier lie together.
  using Key = Coordinate;

  explicit Purgatory(const PurgatoryLimits& limits = {})
      : limits_(limits), space_(limits), uploads_(limits.uploads) {}

  // Its parts, to read. They are changed here only: each change is also a note (R1).
  const WaitingAnnouncements& announcements() const { return announcements_; }
  const WaitingStates& states() const { return states_; }
  const WaitingPulls& pulls() const { return pulls_; }
  const Uploads& uploads() const { return uploads_; }
  const HeldSpace& space() const { return space_; }
  const ExpiredIds& expired() const { return expired_; }
  const PurgatoryLimits& limits() const { return limits_; }

  // In the order in which they would go (R5).
  std::vector<nostr::WireEventPtr> held_by(const nostr::PublicKey& author) const;

  void hold_announcement(const Key& key, Held held, Transition& changes);
  void hold_state(HeldState held, Transition& changes);
  void hold_pull(HeldPull held, Transition& changes);
  core::UnixSeconds deadline(core::UnixSeconds now) const { return now + limits_.patience; }

  const Held* announcement(const Key& key) const { return announcements_.find(key); }
  const HeldState* state(const Key& key) const { return states_.find(key); }
  const HeldState* state(const nostr::EventId& id, const Identifier& identifier) const;
  const HeldPull* pull(const nostr::EventId& id) const { return pulls_.find(id); }
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

  // The tokens of those that went for it.
  std::vector<std::string> put_upload(Upload upload, Transition& changes);
  void drop_upload(const std::string& token, Transition& changes);
  core::UnixSeconds upload_deadline(core::UnixSeconds now) const {
    return now + limits_.upload_patience;
  }

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

  std::size_t size() const {
    return announcements_.shelf().size() + states_.shelf().size() + pulls_.shelf().size();
  }

 private:
  void remember(const nostr::EventId& id, core::UnixSeconds now, Transition& changes);
  void forget(nostr::EventId id, Transition& changes);
  void prolong(Held& held, core::UnixSeconds now) const;
  void expire_announcements(core::UnixSeconds now, Transition& changes, Expiry& expiry);
  bool restore_event(std::string_view kind, std::string_view value);

  PurgatoryLimits limits_;
  WaitingAnnouncements announcements_;
  WaitingStates states_;
  WaitingPulls pulls_;
  HeldSpace space_;
  Uploads uploads_;
  ExpiredIds expired_;
};

}  // namespace graspd::grasp
