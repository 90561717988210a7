// What a decision changes besides the event, as a list of typed changes in the order in which they
// were decided.
//
//   R1  What belongs to the store's transaction (notes, events that go, come back or are revoked)
//       is written together with the event. Everything else happens when that is durable.
//   R2  Transitions are joined as a whole: there is no way to join some kinds of changes only.
//   R3  Code that performs a transition visits all types: a new type does not compile until all
//       such code handles it.
#pragma once
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grasp/coordinate.h"
#include "grasp/pull_request.h"
#include "grasp/verdict.h"
#include "store/change.h"

namespace graspd::grasp {

// Authority or data may suffice for more now: the repositories of the identifier are looked at.
struct AlignGroup {
  Identifier identifier;
};
// The data of a repository goes, unless it is open again.
struct RemoveRepository {
  enum class Why { NoData, GraceIsOver };
  Coordinate coordinate;
  Why why = Why::GraceIsOver;
};
// refs/nostr/<id> go, in all repositories of these identifiers and in the author's PR repositories.
struct DropPullRefs {
  nostr::EventId pull;
  nostr::PublicKey author;
  std::set<Identifier> in;

  static DropPullRefs of(const PullRequest& pull);
};
struct DiscardUpload {
  std::string token;
};
// What hung on an announcement (grasp/threads.h) is kept apart, comes back, or goes for good.
struct ArchiveThreads {
  Departed gone;
};
struct RestoreThreads {
  Coordinate coordinate;
};
struct ForgetThreads {
  Coordinate coordinate;
};
// An event that is decided once more.
struct Retry {
  nostr::WireEventPtr event;
  Origin origin;
};
// It was refused for lack of this and not kept: to be asked for where it was found.
struct AskAgain {
  nostr::RelayUrl relay;
  nostr::EventId id;
};

using Change = std::variant<store::Note, store::Remove, store::Restore, store::Revoke, AlignGroup,
                            RemoveRepository, DropPullRefs, DiscardUpload, ArchiveThreads,
                            RestoreThreads, ForgetThreads, Retry, AskAgain>;

class Transition {
 public:
  void add(Change change) { changes_.push_back(std::move(change)); }
  void put_note(store::Note note) { changes_.emplace_back(std::move(note)); }
  void append(Transition more) {  // R2
    changes_.insert(changes_.end(), std::move_iterator(more.changes_.begin()),
                    std::move_iterator(more.changes_.end()));
  }

  // R1. The part for the store's transaction leaves; what is done afterwards stays.
  store::Changes take_writes();
  std::vector<Change> take() { return std::exchange(changes_, {}); }
  template <class Condition>
  void erase_if(const Condition& condition) {
    std::erase_if(changes_, condition);
  }

  bool empty() const { return changes_.empty(); }
  const std::vector<Change>& changes() const { return changes_; }
  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const Change& change : changes_)
      if (const auto* one = std::get_if<Kind>(&change)) found.push_back(*one);
    return found;
  }

 private:
  std::vector<Change> changes_;
};

}  // namespace graspd::grasp
