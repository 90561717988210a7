// What this server takes in: every rule about events, on what is known here. Pure: time, the
// store's content and what became of a decision are told to it.
//
//   R1  Announcements that list this service are taken: at once when the repository is served
//       already (authority changes never wait for git data), else into purgatory. Others only from
//       those whom a repository here wants as maintainers; they are served no sooner than it is.
//   R2  The newest version seen of a coordinate is a floor: an older one never comes back, also
//       when the newest was deleted, or refused because it moves the repository elsewhere.
//   R3  States are taken from those with authority over a view here, pull requests when they belong
//       here; both wait for their git data. A state that declares nothing waits for nothing.
//   R4  Everything else belongs here or is refused; what is refused for lack of something waits for
//       it in the waiting room.
//   R5  A deletion by the announcement's author takes the repository out of service at once; its
//       data follows after a grace period, unless it is announced again.
//   R6  One caller at a time. Events accepted in one batch know of each other before they are
//       stored; settled() tells what became of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "git/authorize.h"
#include "grasp/access_list.h"
#include "grasp/catalog.h"
#include "grasp/purgatory.h"
#include "grasp/related.h"
#include "grasp/service.h"
#include "grasp/verdict.h"
#include "grasp/waiting_room.h"
#include "nostr/relay_url.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct PolicyOptions {
  Service service;
  std::optional<nostr::RelayUrl> relay;  // as clients call it, for requests to vanish
  nostr::PublicKey operator_key;
  Membership membership = Membership::Compatible;
  AccessList repository_whitelist, repository_blacklist, event_blacklist;
  PurgatoryLimits purgatory;
  WaitingRoomLimits waiting_room;
  core::UnixSeconds removal_grace = 7 * 24 * 3600;  // R5
};

// Which state rules a view: the newest with authority, served or waiting.
struct Ruling {
  nostr::Version version;
  bool waiting = false;
};

// Its refs go, in all repositories it may have reached.
void lose_pull(const PullRequest& pull, Changes& changes);

store::Note removal_note(const Coordinate& coordinate, std::optional<core::UnixSeconds> due);
store::Note floor_note(const Coordinate& coordinate, const nostr::Version& version);

class Policy {
 public:
  Policy(PolicyOptions options, const store::EventStore& store);

  // Reads what an earlier run left.
  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);

  Verdict decide(const nostr::WireEventPtr& event, bool synced, core::UnixSeconds now,
                 Changes& changes);
  void settled(const nostr::WireEventPtr& event, std::optional<store::Outcome> outcome,
               core::UnixSeconds now, Changes& changes);
  // Git data has arrived: this was given to the store and no longer waits.
  void released(const nostr::WireEventPtr& event, store::Outcome outcome, Changes& changes);
  // The notes that go when these are stored.
  std::vector<store::Note> erasures(const nostr::Event& event) const;
  void expire(core::UnixSeconds now, Changes& changes);

  const Catalog& catalog() const { return catalog_; }
  Purgatory& purgatory() { return purgatory_; }
  const Purgatory& purgatory() const { return purgatory_; }
  const WaitingRoom& waiting_room() const { return room_; }

  // A view that git may be asked for: served, or waiting and awake.
  bool is_open(const Coordinate& view) const;
  std::optional<Ruling> ruling(const Coordinate& view) const;
  std::optional<RepoState> find_state(const nostr::EventId& id, const Identifier& identifier) const;
  // Views that carry the ref of a pull request.
  std::vector<Coordinate> views_of(const PullRequest& pull) const;
  // A pull request or update that is served or waits.
  std::optional<PullRequest> find_pull(const nostr::EventId& id) const;
  bool is_stored(const nostr::EventId& id) const;

 private:
  struct Call {
    const nostr::WireEventPtr& wire;
    const nostr::Event& event;
    bool synced;
    core::UnixSeconds now;
    const store::Snapshot& here;
    Changes& changes;
  };

  Verdict dispatch(const Call& call);
  std::optional<Verdict> known_answer(const Call& call) const;
  Verdict person(const Call& call);
  Verdict other(const Call& call);
  Verdict deletion(const Call& call);
  Verdict vanish(const Call& call);

  Verdict announcement(const Call& call);
  Verdict seen_again(const Call& call, const Listing& known);
  Verdict unlisted(const Call& call, Announcement announced);
  void move_away(const Call& call, const Announcement& announced, const Listing& known);
  std::optional<Refuse> hold(const Call& call, Announcement announced, bool hosts);
  Verdict await_data(const Call& call, Announcement announced);
  Verdict await_host(const Call& call, Announcement announced);
  // Waits, and need not: its coordinate is served, or it is a guest of one that is.
  bool is_due(const Listing& listing) const;
  bool is_unwelcome(const Announcement& announced) const;  // by the operator's lists
  Verdict state(const Call& call);
  Verdict pull_request(const Call& call);

  std::optional<Refuse> full(const nostr::WireEvent& event, const Held* instead_of) const;
  void raise_floor(const Coordinate& coordinate, const nostr::Version& version, Place place,
                   Changes& changes);
  void abandon(const Coordinate& coordinate, core::UnixSeconds due, Changes& changes);
  void reclaim(const Coordinate& coordinate, Changes& changes);
  void call_waiting(const std::vector<std::string>& keys, Changes& changes);
  void call_wanted(const Identifier& identifier, Changes& changes);

  void stored_announcement(const nostr::Event& event, Changes& changes);
  void stored_state(const nostr::Event& event, Changes& changes);
  // A deletion or a request to vanish.
  void obey(const nostr::Event& request, core::UnixSeconds now, Changes& changes);
  void foretell(const Call& call);
  std::vector<Coordinate> reached_announcements(const nostr::Event& request) const;
  core::UnixSeconds removal_due(const Listing& listing, core::UnixSeconds now) const;
  void forget_waiting_state(const Coordinate& key, Changes& changes);
  void forget_served_state(const Coordinate& key, Changes& changes);
  void forget_announcement(const Coordinate& coordinate, core::UnixSeconds now, Changes& changes);
  void write_failed(const nostr::Event& event, Changes& changes);

  // What waits under the event's key, this version or another.
  const Held* held_like(const nostr::Event& event) const;
  void released_announcement(const nostr::Event& event, Changes& changes);
  void not_released(const nostr::Event& event, Changes& changes);
  void give_up(const nostr::Event& event, Purgatory::Notes& notes);
  void tell_expired(const nostr::Event& event) const;
  void expire_abandoned(core::UnixSeconds now, Changes& changes);
  void retry_due(Changes& changes);

  core::Result<core::Done, store::StoreError> load_kind(const store::Snapshot& here,
                                                        nostr::Kind kind, core::UnixSeconds now);
  void load_announcement(const nostr::Event& event, Changes& changes);
  void load_note(std::string_view key, std::string_view value);
  void list_waiting();
  void drop_settled(const store::Snapshot& here, core::UnixSeconds now);

  const PolicyOptions options_;
  const store::EventStore& store_;
  Catalog catalog_;
  Purgatory purgatory_;
  WaitingRoom room_;
  InFlight in_flight_;
  Purgatory::Notes owed_;                              // to be written with the next sweep
  std::map<Coordinate, nostr::Version> floors_;        // R2
  std::map<Coordinate, core::UnixSeconds> abandoned_;  // R5: when their data goes
};

}  // namespace graspd::grasp
