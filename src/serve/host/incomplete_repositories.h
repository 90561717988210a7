// Repositories that are known to have lost objects. Whoever pushes there is told that the
// repository is empty, and so sends all of it; what comes is taken, also for refs that stand where
// they should.
//
// Thread-safety: from any thread.
#pragma once
#include <mutex>
#include <set>

#include "grasp/coordinate.h"

namespace graspd::serve {

class IncompleteRepositories {
 public:
  void set(const grasp::Coordinate& repo, bool is_incomplete) {
    std::lock_guard lock(mutex_);
    if (is_incomplete)
      repos_.insert(repo);
    else
      repos_.erase(repo);
  }
  bool contains(const grasp::Coordinate& repo) const {
    std::lock_guard lock(mutex_);
    return repos_.contains(repo);
  }

 private:
  mutable std::mutex mutex_;
  std::set<grasp::Coordinate> repos_;
};

}  // namespace graspd::serve
