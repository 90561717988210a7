// Which state the refs of a repository were last set to, as far as we did it or saw it ourselves. A
// repository that was never seen there is merely not up to date; one that was and is not any more
// was changed by somebody else.
//
// Thread-safety: from any thread.
#pragma once
#include <map>
#include <mutex>

#include "grasp/coordinate.h"
#include "nostr/event.h"

namespace graspd::serve {

class FollowedStates {
 public:
  void set(const grasp::Coordinate& repo, const nostr::EventId& state) {
    std::lock_guard lock(mutex_);
    states_.insert_or_assign(repo, state);
  }
  void forget(const grasp::Coordinate& repo) {
    std::lock_guard lock(mutex_);
    states_.erase(repo);
  }
  bool contains(const grasp::Coordinate& repo, const nostr::EventId& state) const {
    std::lock_guard lock(mutex_);
    const auto at = states_.find(repo);
    return at != states_.end() && at->second == state;
  }

 private:
  mutable std::mutex mutex_;
  std::map<grasp::Coordinate, nostr::EventId> states_;
};

}  // namespace graspd::serve
