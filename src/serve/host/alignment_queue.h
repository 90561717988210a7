// What is brought in line when there is time: all repositories of an identifier, in slices.
//
//   R1  One slice of an identifier at a time, and a slice of every other identifier that waits
//       before the next of the same one: a crowd under one name delays nobody else.
//   R2  However often an identifier is asked for while it waits, it is gone through once; asked for
//       while it is gone through, once more.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "serve/host/alignment_scope.h"
#include "serve/runtime/workers.h"

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
  // What one settlement has left of some pull requests.
  void post(const grasp::Identifier& identifier, std::vector<PullScope> pulls);
  void stop();               // what is under way is finished, the rest dropped
  std::size_t size() const;  // identifiers

 private:
  struct Family {
    std::deque<SettlementScope> slices;
    bool again = false;
  };

  void step(const grasp::Identifier& identifier);
  std::optional<SettlementScope> next(const grasp::Identifier& identifier);
  Family& enter(const grasp::Identifier& identifier);

  const Plan plan_;
  const Settle settle_;
  mutable std::mutex mutex_;  // of what follows
  std::map<grasp::Identifier, Family> families_;
  bool stopping_ = false;
  Workers workers_;
};

}  // namespace graspd::serve
