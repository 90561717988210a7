// What this server takes in: every rule about events, on what is known here. Pure: time, the
// store's content and what became of a decision are told to it.
//
//   R1  Announcements that list this service, or that the archive wants, are taken: at once when
//       the repository is served already (authority changes never wait for git data), else into
//       purgatory. Others only from those whom a repository here wants as maintainers; they are
//       served no sooner than it is.
//   R2  The newest version seen of a coordinate is a newest seen version: nobody can send an older
//       one, also when the newest was deleted, or refused because it moves the repository
//       elsewhere.
//   R3  States are taken from those with authority over a view here, pull requests when they belong
//       here; both wait for their git data. A state that declares nothing waits for nothing. A pull
//       request for a PR repository (grasp/pr_repository.h) belongs here, whoever hosts the
//       repository.
//   R4  Everything else belongs here or is refused; what is refused for lack of something waits for
//       it in the waiting space.
//   R5  A deletion by the announcement's author takes the repository out of service at once; its
//       data follows after a grace period, unless it is announced again.
//   R6  What peers sent and is refused for good, or for lack of something that is not here, is
//       remembered by id, so that it need not come again; what it lacked, when it comes, ends that.
//       Nobody is answered from there: who submits an event again gets a new decision.
//   R7  Lists may change while the server runs, for all that arrives from then on. What they have
//       come to refuse goes out of service at the next start, its announcement too; that is kept
//       apart, and comes back when the lists let it.
//   R8  One caller at a time. Events accepted in one batch know of each other before they are
//       stored; settled() tells what became of them.
//   R9  When purgatory is full, who has most there loses what is oldest, if that is more than the
//       newcomer would have. Strangers never take the place of those who have a say in a repository
//       that is served; these take that of strangers first.
//   R10 Superseded versions of announcements and states are kept for a while (grasp/history.h). Who
//       deletes the newest by its id has the one before it back, in the same transaction; whoever
//       else sends an old one is still told that it is superseded (R2).
//   R11 What expires (NIP-40) ends for git too: a repository goes out of service as if its
//       announcement had been deleted, a state no longer rules, a pull request loses its refs, and
//       nothing waits any longer.
//   R12 What hung on an announcement that its author takes back or moves elsewhere goes with it. It
//       is kept apart as long as the repository's data, and comes back when it is announced again.
//   R13 No version counts that is dated further ahead than the relay's admission allows: it raises
//       no newest seen version, and one that an earlier program took is forgotten at the next
//       start. What it had replaced is served again, as far as it is kept.
//   R14 Requests to delete or to vanish that concern nothing that is or was served here, and the
//       lists of people who take no part here, are kept in pools (grasp/stranger_pool.h). They are
//       served and applied like others while they are there.
//   R15 Ephemeral events of people who take no part here, about nothing that is here, are marked as
//       such: how many are passed on is for others to say.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "git/authorize.h"
#include "grasp/access_list.h"
#include "grasp/archive.h"
#include "grasp/catalog.h"
#include "grasp/expirations.h"
#include "grasp/history.h"
#include "grasp/new_repositories.h"
#include "grasp/orphan_pool.h"
#include "grasp/purgatory.h"
#include "grasp/rejected_ids.h"
#include "grasp/related.h"
#include "grasp/service.h"
#include "grasp/stranger_pool.h"
#include "grasp/transition.h"
#include "nostr/relay_url.h"
#include "store/event_store.h"

namespace graspd::grasp {

// Whom and what the operator welcomes or refuses.
struct AccessLists {
  AccessList repository_whitelist, repository_blacklist, event_blacklist, archive_whitelist;
};

struct PolicyOptions {
  Service service;
  std::optional<nostr::RelayUrl> relay;  // as clients call it, for requests to vanish
  nostr::PublicKey operator_key;
  Membership membership = Membership::Compatible;
  AccessList repository_whitelist, repository_blacklist, event_blacklist;
  Archive archive;
  bool pr_repositories = false;  // GRASP-06: pull requests for repositories that others host
  PurgatoryLimits purgatory;
  // Repositories not known here that one relay may bring by sync in a day, whether their git data
  // comes or not; 0: no limit. As many as may wait at a time: a server that archives learns of some
  // thousands from each relay it follows, and each of them costs a look for git data.
  std::size_t new_repositories_per_relay = 5'000;
  std::set<nostr::RelayUrl> trusted_relays;  // that bring any number: the operator named them
  OrphanPoolLimits orphan_pool;
  RejectedLimits rejected;
  // How long a refused event is kept whole at the least. What lacks nothing that could come is not
  // kept at all, and the rest has the waiting space's patience if that is longer.
  core::UnixSeconds rejected_whole = 120;
  core::UnixSeconds removal_grace = 7 * 24 * 3600;  // R5
  // Of one announcement, and of one repository by all announcements that reach each other. Real
  // projects have a handful; every key costs whenever one of the announcements changes.
  std::size_t listed_max = 64;
  std::size_t members_max = Catalog::kMembersMax;
  StrangerLimits stranger_requests, stranger_lists;  // R14
  core::UnixSeconds created_at_ahead = 0;            // R13; 0: no limit
};

// Which state rules a view: the newest with authority, served or waiting.
struct Ruling {
  nostr::Version version;
  bool waiting = false;
};

// What a push that is on its way brings git data for.
struct BeingPushed {
  std::optional<Coordinate> view;  // its announcement and the state that rules it
  std::vector<nostr::EventId> pulls;
};

store::Note removal_note(const Coordinate& coordinate, std::optional<core::UnixSeconds> due);

// R12. What hung on an announcement is kept until then.
struct ThreadsTerm {
  core::UnixSeconds due = 0;
  nostr::EventId announcement;
};
store::Note threads_note(const Coordinate& coordinate, const std::optional<ThreadsTerm>& term);
store::Note newest_seen_note(const Coordinate& coordinate, const nostr::Version& version);
store::Note newest_state_note(const Coordinate& key, const nostr::Version& version);

class DeletionScope;  // grasp/deletion_scope.h

class Policy {
 public:
  Policy(PolicyOptions options, const store::EventStore& store);

  // Reads what an earlier run left.
  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);

  void use(AccessLists lists);  // R7

  Verdict decide(const nostr::WireEventPtr& event, const Origin& origin, core::UnixSeconds now,
                 Transition& changes);
  void settled(const nostr::WireEventPtr& event, std::optional<store::Outcome> outcome,
               core::UnixSeconds now, Transition& changes);
  // The relay's admission did not take it: peers need not send it again.
  void refused(const nostr::WireEventPtr& event, const Origin& origin, Reason reason,
               core::UnixSeconds now, Transition& changes) {
    remember(event, origin, reason, now, changes);
  }
  // Git data has arrived: this was given to the store and no longer waits.
  void released(const nostr::WireEventPtr& event, store::Outcome outcome, Transition& changes);
  // Written together with it then.
  std::vector<store::Note> notes_of_release(const nostr::Event& event) const;
  void expire(core::UnixSeconds now, Transition& changes);
  // R12. What a crash left half done, after a start; what was done; states that went with it.
  void resume_threads(Transition& changes) const;
  bool has_ended_threads(const Coordinate& of) const { return ended_threads_.contains(of); }
  void threads_settled(const Coordinate& coordinate, Transition& changes);
  void states_ended(const std::vector<Coordinate>& states, Transition& changes);
  // Gives the full time to what would expire by `soon` while a push is on its way.
  void give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                 Transition& changes);
  // R7 and R13, after a start.
  Transition take_relisting() { return std::exchange(relisting_, {}); }
  // What was to be decided once more was not: it is offered again with the next sweep.
  void put_off(const nostr::EventId& id) { orphans_.call_again(id); }

  const Catalog& catalog() const { return catalog_; }
  std::set<Coordinate> take_changed_listings() { return catalog_.take_changed(); }
  Purgatory& purgatory() { return purgatory_; }
  const Purgatory& purgatory() const { return purgatory_; }
  const OrphanPool& orphan_pool() const { return orphans_; }
  const RejectedIds& rejected() const { return rejected_; }
  const StrangerPool& stranger_requests() const { return requests_; }
  const StrangerPool& stranger_lists() const { return lists_; }
  RejectedMeter rejected_meter() const;

  // R6. Held, waiting or refused: it need not come again.
  bool knows(const nostr::EventId& id) const;
  std::vector<nostr::WireEventPtr> kept_events() const;  // of those, all that are here whole

  // A view that git may be asked for: served, or waiting and awake.
  bool is_open(const Coordinate& view) const;
  std::optional<Ruling> ruling(const Coordinate& view) const;
  std::optional<RepoState> find_state(const nostr::EventId& id, const Identifier& identifier) const;
  // Views that carry the ref of a pull request.
  std::vector<Coordinate> views_of(const PullRequest& pull) const;
  // PrRepositories that carry it, also when no view does. A PR repository may be unwelcome by the
  // operator's lists, and all are while they are off.
  std::vector<Coordinate> pr_repositories_of(const PullRequest& pull) const;
  bool takes_pr_repository(const Coordinate& pr_repository) const;
  // grasp/pr_repository.h, R3
  std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                                 const Coordinate& pr_repository,
                                                 const git::Oid& commit) const;
  // A pull request or update that is served or waits.
  std::optional<PullRequest> find_pull(const nostr::EventId& id) const;
  bool is_stored(const nostr::EventId& id) const;

 private:
  struct Call {
    const nostr::WireEventPtr& wire;
    const nostr::Event& event;
    const Origin& origin;
    core::UnixSeconds now;
    const store::Snapshot& here;
    Transition& changes;
  };

  Verdict examine(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                  Transition& changes);
  Verdict dispatch(const Call& call);
  std::optional<Verdict> known_answer(const Call& call) const;
  Verdict person(const Call& call);
  Verdict other(const Call& call);
  // R14, R15
  static constexpr std::size_t kStrangersBytesMax = 16 * 1024;
  bool is_at_home(const nostr::PublicKey& who) const;
  bool takes_part(const nostr::PublicKey& who, const store::Snapshot& here,
                  core::UnixSeconds now) const;
  bool is_stranger(const Call& call) const;
  bool names_something_here(const Call& call) const;
  void keep_in(StrangerPool& pool, const Call& call);
  void forget_pooled(const nostr::EventId& id, Transition& changes);
  Verdict user_list(const Call& call);
  Verdict ephemeral(const Call& call) const;
  Verdict deletion(const Call& call);
  Verdict vanish(const Call& call);

  core::Result<Announcement, std::string> read_announcement(const nostr::Event& event) const {
    return parse_announcement(event, options_.listed_max);
  }
  std::optional<Refuse> too_many_people(const Announcement& announced) const;
  bool lists_us(const Announcement& announced) const;  // as far as that counts
  bool is_host_of(const Announcement& announced) const;
  Verdict announcement(const Call& call);
  Verdict seen_again(const Call& call, const Listing& known);
  Verdict unlisted(const Call& call, Announcement announced);
  Refuse not_listed(const Announcement& announced) const;
  void move_away(const Call& call, const Announcement& announced, const Listing& known);
  std::optional<Refuse> hold(const Call& call, Announcement announced, bool hosts);
  bool counts_as_new(const Call& call, const Coordinate& coordinate,
                     const std::string& source) const;
  Verdict await_data(const Call& call, Announcement announced);
  Verdict await_host(const Call& call, Announcement announced);
  // Guests that are looked at on one occasion: whether one is due may take some hundred
  // microseconds where people list each other.
  static constexpr std::size_t kGuestsMax = 64;
  // Waits, and need not: its coordinate is served, or it is a guest of one that is.
  bool is_due(const Listing& listing) const;
  void retry_guests(const Coordinate& served, Transition& changes) const;
  bool is_unwelcome(const Announcement& announced) const;  // by the operator's lists
  Verdict state(const Call& call);
  Verdict pull_request(const Call& call);

  // R9
  std::optional<Refuse> make_space(const Call& call, const Held* instead_of);
  std::optional<Refuse> make_place(const Call& call, const Coordinate& announcement,
                                   const std::string& source);
  std::string source_of(const Call& call) const;
  std::optional<nostr::PublicKey> loser(const nostr::PublicKey& newcomer, std::size_t bytes) const;
  bool take_from(const nostr::PublicKey& author, Transition& changes);
  void evict(const nostr::Event& event, Transition& changes);
  void raise_newest_seen(const Coordinate& coordinate, const nostr::Version& version, Place place,
                         core::UnixSeconds now, Transition& changes);
  void raise_newest_state(const Coordinate& key, const nostr::Version& version,
                          core::UnixSeconds now, Transition& changes);
  // R13
  bool is_too_far_ahead(core::UnixSeconds created_at, core::UnixSeconds now) const;
  core::Result<core::Done, store::StoreError> forget_what_is_ahead(const store::Snapshot& here,
                                                                   core::UnixSeconds now);
  nostr::WireEventPtr newest_before(const history::Past& gone, const store::Snapshot& here,
                                    core::UnixSeconds now) const;
  void restore_before(const nostr::Event& ahead, const store::Snapshot& here,
                      core::UnixSeconds now);
  // R10
  void keep_superseded(const Call& call);
  bool bring_back(const history::Past& deleted, const DeletionScope& reach, const Call& call) const;
  bool is_still_welcome(const nostr::Event& event) const;
  static void forget_history(const DeletionScope& reach, const Call& call);
  void forget_history(nostr::Kind kind, const Coordinate& coordinate, Transition& changes) const;
  void schedule_removal(const Coordinate& coordinate, core::UnixSeconds due, Transition& changes);
  void cancel_removal(const Coordinate& coordinate, Transition& changes);
  void end_threads(const Listing& gone, core::UnixSeconds now, Transition& changes);
  void recall_threads(const Coordinate& back, Transition& changes) const;
  void expire_threads(core::UnixSeconds now, Transition& changes);

  void remember(const nostr::WireEventPtr& wire, const Origin& origin, Reason reason,
                core::UnixSeconds now, Transition& changes);
  void call(const std::string& key);
  void call(const std::vector<std::string>& keys);
  void call_wanted(const Coordinate& announcement);
  void call_end(const nostr::Event& event);
  void answer_calls(Transition& changes);
  std::string rules() const;

  void stored_announcement(const nostr::Event& event, Transition& changes);
  void stored_state(const nostr::Event& event, Transition& changes);
  // A deletion or a request to vanish.
  void apply_deletion(const nostr::Event& request, core::UnixSeconds now, Transition& changes);
  void record_intent(const Call& call);
  std::vector<Coordinate> reached_announcements(const nostr::Event& request) const;
  core::UnixSeconds removal_due(const Listing& listing, core::UnixSeconds now) const;
  void forget_waiting_state(const Coordinate& key, Transition& changes);
  void forget_served_state(const Coordinate& key, Transition& changes);
  void forget_announcement(const Coordinate& coordinate, core::UnixSeconds now,
                           Transition& changes);
  void write_failed(const nostr::Event& event, Transition& changes);

  // What waits under the event's key, this version or another.
  const Held* held_like(const nostr::Event& event) const;
  void released_announcement(const nostr::Event& event, Transition& changes);
  void not_released(const nostr::Event& event, Transition& changes);
  void give_up(const nostr::Event& event, Transition& changes);
  void tell_expired(const nostr::Event& event) const;
  void expire_served(core::UnixSeconds now, Transition& changes);
  void expire_announcement(const Expiring& over, core::UnixSeconds now, Transition& changes);
  void expire_state(const Expiring& over, core::UnixSeconds now, Transition& changes);
  void expire_scheduled_removals(core::UnixSeconds now, Transition& changes);
  void retry_due(Transition& changes);

  core::Result<core::Done, store::StoreError> load_kind(const store::Snapshot& here,
                                                        nostr::Kind kind, core::UnixSeconds now);
  void load_announcement(const nostr::Event& event, std::string_view json, Transition& changes);
  bool load_withheld(std::string_view json, const store::Snapshot& here, core::UnixSeconds now);
  bool load_note(std::string_view key, std::string_view value, core::UnixSeconds now);
  void list_waiting();
  void forget_other_rules(const std::string& known_rules);
  void drop_settled(const store::Snapshot& here, core::UnixSeconds now);

  PolicyOptions options_;  // only its lists change: R7
  const store::EventStore& store_;
  Catalog catalog_;
  Purgatory purgatory_;
  NewRepositories new_repositories_;
  OrphanPool orphans_;
  RejectedIds rejected_;
  StrangerPool requests_, lists_;  // R14
  RejectedMeter meter_;            // of what neither of them counts
  Expirations expirations_;        // R11
  std::size_t next_guest_ = 0;     // to be looked at with a sweep
  InFlight in_flight_;
  std::map<nostr::EventId, Origin> synced_in_flight_;
  Transition relisting_;            // R7, R13
  std::set<nostr::EventId> ahead_;  // R13, while loading
  Transition owed_;                 // to be written with the next sweep
  std::map<Coordinate, nostr::Version> newest_seen_, newest_states_;  // R2
  std::map<nostr::Address, nostr::WireEventPtr> versions_in_flight_;  // newest, not yet written
  std::map<Coordinate, core::UnixSeconds> scheduled_removals_;        // R5: when their data goes
  std::map<Coordinate, ThreadsTerm> ended_threads_;                   // R12
};

}  // namespace graspd::grasp
