// Which state the refs of a view were last set to, as far as we did it or saw it ourselves. A view
// that was never seen there is merely not up to date; one that was and is not any more was changed
// by somebody else.
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
  void set(const grasp::Coordinate& view, const nostr::EventId& state) {
    std::lock_guard lock(mutex_);
    states_.insert_or_assign(view, state);
  }
  void forget(const grasp::Coordinate& view) {
    std::lock_guard lock(mutex_);
    states_.erase(view);
  }
  bool contains(const grasp::Coordinate& view, const nostr::EventId& state) const {
    std::lock_guard lock(mutex_);
    const auto at = states_.find(view);
    return at != states_.end() && at->second == state;
  }

 private:
  mutable std::mutex mutex_;
  std::map<grasp::Coordinate, nostr::EventId> states_;
};

}  // namespace graspd::serve
