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
//       stored; settled() tells what became of them, and revert() that the batch was not written:
//       then it leaves no trace.
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
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "git/authorize.h"
#include "grasp/policy_state.h"
#include "grasp/related.h"
#include "grasp/rules.h"
#include "grasp/transition.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct DecisionContext;  // grasp/decisions.h

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

class Policy {
 public:
  Policy(PolicyOptions options, const store::EventStore& store);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Reads what an earlier run left.
  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);

  void use(AccessLists lists);  // R7

  Verdict decide(const nostr::WireEventPtr& event, const Origin& origin, core::UnixSeconds now,
                 Transition& changes);
  void settled(const nostr::WireEventPtr& event, store::Outcome outcome, core::UnixSeconds now,
               Transition& changes);
  // The batch was not written: what was decided in it is taken back (grasp/revert.h).
  void revert(std::span<const std::string> note_keys, const Transition& left, core::UnixSeconds now,
              Transition& changes);
  // The relay's admission did not take it: peers need not send it again.
  void refused(const nostr::WireEventPtr& event, const Origin& origin, Reason reason,
               core::UnixSeconds now, Transition& changes) {
    state_.rejections.remember(event, origin, reason, now, changes);
  }
  // Git data has arrived: this was given to the store and no longer waits.
  void released(const nostr::WireEventPtr& event, store::Outcome outcome, Transition& changes);
  // Written together with it then.
  std::vector<store::Note> notes_of_release(const nostr::Event& event) const;
  void expire(core::UnixSeconds now, Transition& changes);
  // R12. What a crash left half done, after a start; what was done; states that went with it.
  void resume_threads(Transition& changes) const;
  bool has_ended_threads(const Coordinate& of) const { return state_.threads.contains(of); }
  void threads_settled(const Coordinate& coordinate, Transition& changes) {
    state_.threads.settled(coordinate, changes);
  }
  void states_ended(const std::vector<Coordinate>& states, Transition& changes);
  // Gives the full time to what would expire by `soon` while a push is on its way.
  void give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                 Transition& changes);
  // R7 and R13, after a start.
  Transition take_relisting() { return std::exchange(relisting_, {}); }
  // What was to be decided once more was not: it is offered again with the next sweep.
  void put_off(const nostr::EventId& id) { state_.rejections.orphans().call_again(id); }

  // Everything that a restart must find (grasp/policy_state.h R3).
  std::map<std::string, std::string> contents() const { return state_.contents(); }

  const Catalog& catalog() const { return state_.catalog; }
  std::set<Coordinate> take_changed_listings() { return state_.catalog.take_changed(); }
  Purgatory& purgatory() { return state_.purgatory; }
  const Purgatory& purgatory() const { return state_.purgatory; }
  const OrphanPool& orphan_pool() const { return state_.rejections.orphans(); }
  const RejectedIds& rejected() const { return state_.rejections.ids(); }
  const StrangerPool& stranger_requests() const { return state_.stranger_requests; }
  const StrangerPool& stranger_lists() const { return state_.stranger_lists; }
  RejectedMeter rejected_meter() const { return state_.rejections.meter(); }

  // R6. Held, waiting or refused: it need not come again.
  bool knows(const nostr::EventId& id) const;
  std::vector<nostr::WireEventPtr> kept_events() const;  // of those, all that are here whole

  // A view that git may be asked for: served, or waiting and awake.
  bool is_open(const Coordinate& view) const;
  std::optional<Ruling> ruling(const Coordinate& view) const;
  std::optional<RepoState> find_state(const nostr::EventId& id, const Identifier& identifier) const;
  // Views that carry the ref of a pull request.
  std::vector<Coordinate> views_of(const PullRequest& pull) const;
  // grasp/rules.h
  std::vector<Coordinate> pr_repositories_of(const PullRequest& pull) const {
    return state_.rules().pr_repositories_of(pull);
  }
  bool takes_pr_repository(const Coordinate& pr_repository) const {
    return state_.rules().takes_pr_repository(pr_repository);
  }
  std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                                 const Coordinate& pr_repository,
                                                 const git::Oid& commit) const {
    return state_.rules().pr_repository_fault(pull, pr_repository, commit);
  }
  // A pull request or update that is served or waits.
  std::optional<PullRequest> find_pull(const nostr::EventId& id) const;
  bool is_stored(const nostr::EventId& id) const;

 private:
  Verdict examine(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                  Transition& changes);
  Verdict dispatch(const DecisionContext& context) const;
  static std::optional<Verdict> known_answer(const DecisionContext& context);
  void keep_superseded(const DecisionContext& context);  // R10

  const store::EventStore& store_;
  PolicyState state_;
  InFlight in_flight_;
  std::map<nostr::EventId, Origin> synced_in_flight_;
  std::map<nostr::Address, nostr::WireEventPtr> versions_in_flight_;  // newest, not yet written
  Transition relisting_;                                              // R7, R13
  Transition owed_;  // to be written with the next sweep
};

}  // namespace graspd::grasp
