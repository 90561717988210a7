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
//   R3  States are taken from those with authority over a repository here, pull requests when they
//       belong here; both wait for their git data. A state that declares nothing waits for nothing.
//       A pull request for a PR repository (grasp/pr_repository.h) belongs here, whoever hosts the
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
//   R8  One caller at a time. Everything is decided and changed on a copy of what is committed, so
//       what goes into one transaction knows of each other and nobody else does. commit() makes the
//       copy count when the transaction is written; fail() drops it, and it leaves no trace.
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
//   R16 Everybody else reads what is committed from snapshots (grasp/policy_snapshot.h).
//   R17 On a private service (GRASP-08) only members announce repositories, whichever way an
//       announcement comes. The waiting announcements of somebody who ceases to be a member are
//       forgotten; what is served stays. Members may keep a list of private servers (10318).
//   R18 A service that has changed its name takes nothing out of service unasked: repositories that
//       list the name of the last run are counted at the start, and the operator says whether that
//       name still counts or they may go.
//   R19 Requests to delete and to vanish have terms (grasp/deletion_requests.h). The operator may
//       also have them ignored: they are stored, and nobody obeys them.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "git/authorize.h"
#include "grasp/policy_snapshot.h"
#include "grasp/policy_state.h"
#include "grasp/related.h"
#include "grasp/transition.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct DecisionContext;  // grasp/decisions.h

// What a push that is on its way brings git data for.
struct BeingPushed {
  std::optional<Coordinate> repo;  // its announcement and the state that rules it
  std::vector<nostr::EventId> pulls;
};

class Policy {
 public:
  Policy(PolicyOptions options, const store::EventStore& store);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Reads what an earlier run left.
  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);

  // R8. Whatever changes something after a commit or a failure begins a transaction.
  Verdict decide(const nostr::WireEventPtr& event, const Origin& origin, core::UnixSeconds now,
                 Transition& changes);
  // The relay's admission did not take it: peers need not send it again.
  void refused(const nostr::WireEventPtr& event, const Origin& origin, Reason reason,
               core::UnixSeconds now, Transition& changes);
  // The transaction is written. Of each event in it first: this became of it.
  void settled(const nostr::WireEventPtr& event, store::Outcome outcome, core::UnixSeconds now,
               Transition& changes);
  // The same for one that waited, and whose git data has arrived.
  void released(const nostr::WireEventPtr& event, store::Outcome outcome, Transition& changes);
  void commit();
  // It was not written: nothing that was to follow from it may happen.
  void fail();

  void use(AccessLists lists);  // R7
  // R17
  void use_members(std::set<nostr::PublicKey> members, core::UnixSeconds now, Transition& changes);
  // Written together with an event whose git data has arrived.
  std::vector<store::Note> notes_of_release(const nostr::Event& event) const;
  void expire(core::UnixSeconds now, Transition& changes);
  // R12. What was done; states that went with it.
  void threads_settled(const Coordinate& coordinate, Transition& changes) {
    working().threads.settled(coordinate, changes);
  }
  void states_ended(const std::vector<Coordinate>& states, Transition& changes);
  // R12. A state that was kept apart waits for its data again, together with the announcement of a
  // repository that it rules.
  void await_again(const nostr::WireEventPtr& state, core::UnixSeconds now, Transition& changes);
  // Gives the full time to what would expire by `soon` while a push is on its way.
  void give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                 Transition& changes);
  // R7 and R13, after a start.
  Transition take_relisting() { return std::exchange(working().relisting, {}); }
  // What was to be decided once more was not: it is offered again with the next sweep.
  void put_off(const nostr::EventId& id) { working().rejections.orphans().call_again(id); }
  Purgatory& purgatory() { return working().purgatory; }

  // Coordinates whose listing came, went or changed in what was committed since the last call.
  std::set<Coordinate> take_changed_listings() { return std::exchange(changed_listings_, {}); }
  // R16. What is committed.
  std::shared_ptr<const PolicySnapshot> snapshot() const { return committed_; }
  // What the transaction in the making has made of it, for whoever adds to it.
  const PolicySnapshot& current() const {
    return transaction_ ? transaction_->current : *committed_;
  }
  const Catalog& catalog() const { return current().catalog(); }

 private:
  // What is decided and not yet written.
  struct Transaction {
    PolicySnapshot current;
    InFlight in_flight = {};
    std::map<nostr::EventId, Origin> synced = {};
    std::map<nostr::Address, nostr::WireEventPtr> versions = {};  // the newest
    std::vector<nostr::EventId> decided = {};
  };

  Transaction& transaction();
  PolicyState& working() { return transaction().current.state_; }
  void publish(PolicySnapshot current);

  Verdict examine(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                  Transition& changes);
  static Verdict dispatch(const DecisionContext& context);
  void use_rules(std::shared_ptr<const Rules> rules);
  static std::optional<Verdict> known_answer(const DecisionContext& context);
  void keep_superseded(const DecisionContext& context);  // R10

  const store::EventStore& store_;
  std::shared_ptr<const PolicySnapshot> committed_;
  std::optional<Transaction> transaction_;
  std::set<Coordinate> changed_listings_;
};

}  // namespace graspd::grasp
