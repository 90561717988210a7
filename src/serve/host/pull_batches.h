// Pull requests that were just sent, on their way to the repositories they are about.
//
//   R1  At most one worker is busy with one identifier: a crowd of pull requests for one name takes
//       no worker from others.
//   R2  What has gathered for an identifier is looked at together: a look costs the same for one
//       and for many.
//   R3  Identifiers take turns, batch by batch.
//   R4  A pull request that names several identifiers goes from one to the next, and is answered
//       after the last.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "grasp/identifier.h"
#include "nostr/event.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class PullBatches {
 public:
  // So many at once: what is waited for at most by a push into the same repository.
  static constexpr std::size_t kAtOnce = 256;

  struct Item {
    nostr::EventId id;
    std::deque<grasp::Identifier> identifiers;  // that are still to be looked at
    std::function<void()> done;
  };
  // Blocks, and is called from the threads of this.
  using Align = std::function<void(const grasp::Identifier& identifier,
                                   const std::vector<nostr::EventId>& pulls)>;

  PullBatches(std::size_t threads, Align align) : align_(std::move(align)), workers_(threads) {}

  void add(Item item);
  void stop();               // what is under way is finished, the rest dropped
  std::size_t size() const;  // identifiers

 private:
  void enter(Item item);
  void step(const grasp::Identifier& identifier);
  std::vector<Item> take(const grasp::Identifier& identifier);

  const Align align_;
  mutable std::mutex mutex_;                               // of what follows
  std::map<grasp::Identifier, std::deque<Item>> waiting_;  // one that is looked at stays in it
  bool stopping_ = false;
  Workers workers_;
};

}  // namespace graspd::serve
