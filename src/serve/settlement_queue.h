// What is brought in line when there is time: all repositories of an identifier, in slices.
//
//   R1  One slice of an identifier at a time, and a slice of every other identifier that waits
//       before the next of the same one: a crowd under one name delays nobody else.
//   R2  However often an identifier is asked for while it waits, it is gone through once; asked for
//       while it is gone through, once more. The same holds for views that are asked for by
//       themselves, and for those of an author.
//   R3  Of one identifier, slices of views and what is left of pull requests take turns: anybody
//       may send pull requests, and however many do, the views come.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "serve/settlement_scope.h"
#include "serve/workers.h"

namespace graspd::serve {

class SettlementQueue {
 public:
  // Both block, and are called from the threads of the queue.
  using Plan = std::function<std::deque<SettlementScope>(const grasp::Identifier& identifier)>;
  using Settle = std::function<void(const grasp::Identifier& identifier, SettlementScope slice)>;

  SettlementQueue(std::size_t threads, Plan plan, Settle settle)
      : plan_(std::move(plan)),
        settle_(std::move(settle)),
        workers_(threads, Workers::Priority::Background) {}

  void post(const grasp::Identifier& identifier);
  // Of these views and not of the others.
  void post(const grasp::Identifier& identifier, std::vector<grasp::Coordinate> views);
  // Of the views that this author rules, whichever they are.
  void post(const grasp::Identifier& identifier, const nostr::PublicKey& author);
  // What one settlement has left of some pull requests.
  void post(const grasp::Identifier& identifier, std::vector<PullScope> pulls);
  void stop();               // what is under way is finished, the rest dropped
  std::size_t size() const;  // identifiers

 private:
  struct Family {
    std::deque<SettlementScope> slices, pulls;
    std::set<grasp::Coordinate> views;
    std::set<nostr::PublicKey> authors;
    bool again = false;
    bool is_turn_of_pulls = false;  // R3
  };

  void step(const grasp::Identifier& identifier);
  std::optional<SettlementScope> next(const grasp::Identifier& identifier);
  Family& enter(const grasp::Identifier& identifier);
  std::deque<SettlementScope> plan_for(const grasp::Identifier& identifier,
                                       std::set<nostr::PublicKey> authors) const;
  static void cut_views(Family& family);

  const Plan plan_;
  const Settle settle_;
  mutable std::mutex mutex_;  // of what follows
  std::map<grasp::Identifier, Family> families_;
  bool stopping_ = false;
  Workers workers_;
};

}  // namespace graspd::serve
