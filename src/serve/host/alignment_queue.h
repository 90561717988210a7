// What is brought in line when there is time: all repositories of an identifier, in slices.
//
//   R1  One slice of an identifier at a time, and a slice of every other identifier that waits
//       before the next of the same one: a crowd under one name delays nobody else.
//   R2  However often an identifier is asked for while it waits, it is gone through once; asked for
//       while it is gone through, once more. The same holds for repositories that are asked for by
//       themselves, and for those of an author.
//   R3  Of one identifier, slices of repositories and what is left of pull requests take turns:
//       anybody may send pull requests, and however many do, the repositories come.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "serve/host/alignment_scope.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class AlignmentQueue {
 public:
  // Both block, and are called from the threads of the queue.
  using Plan = std::function<std::deque<AlignmentScope>(const grasp::Identifier& identifier)>;
  using Align = std::function<void(const grasp::Identifier& identifier, AlignmentScope slice)>;

  AlignmentQueue(std::size_t threads, Plan plan, Align align)
      : plan_(std::move(plan)),
        align_(std::move(align)),
        workers_(threads, Workers::Priority::Background) {}

  void post(const grasp::Identifier& identifier);
  // Of these repositories and not of the others.
  void post(const grasp::Identifier& identifier, std::vector<grasp::Coordinate> repos);
  // Of the repositories that this author rules, whichever they are.
  void post(const grasp::Identifier& identifier, const nostr::PublicKey& author);
  // What one alignment has left of some pull requests.
  void post(const grasp::Identifier& identifier, std::vector<PullScope> pulls);
  void stop();               // what is under way is finished, the rest dropped
  std::size_t size() const;  // identifiers

 private:
  struct IdentifierGroup {
    std::deque<AlignmentScope> slices, pulls;
    std::set<grasp::Coordinate> repos;
    std::set<nostr::PublicKey> authors;
    bool again = false;
    bool is_turn_of_pulls = false;  // R3
  };

  void step(const grasp::Identifier& identifier);
  std::optional<AlignmentScope> next(const grasp::Identifier& identifier);
  IdentifierGroup& enter(const grasp::Identifier& identifier);
  std::deque<AlignmentScope> plan_for(const grasp::Identifier& identifier,
                                      std::set<nostr::PublicKey> authors) const;
  static void cut_repos(IdentifierGroup& group);

  const Plan plan_;
  const Align align_;
  mutable std::mutex mutex_;  // of what follows
  std::map<grasp::Identifier, IdentifierGroup> groups_;
  bool stopping_ = false;
  Workers workers_;
};

}  // namespace graspd::serve
