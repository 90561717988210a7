// When to retry what has failed.
//
//   R1  The first retry comes after `first`; each further delay is twice as long, up to `most`.
//   R2  A failure soon after a retry continues the same series; a later one starts a new series.
//   R3  Failures before the retry is due do not change its time.
#pragma once
#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>

#include "core/time.h"

namespace graspd::serve {

struct RetryPauses {
  core::Duration first = std::chrono::seconds(5);
  core::Duration most = std::chrono::minutes(30);
};

template <class Key>
class RetryTimes {
 public:
  explicit RetryTimes(RetryPauses pauses = {}) : pauses_(pauses) {}

  void failed(const Key& key, core::Instant now) {
    const auto [at, is_new] = troubles_.try_emplace(key);
    Trouble& trouble = at->second;
    if (trouble.waits) return;                                              // R3
    const bool is_same = !is_new && now < trouble.due + 2 * trouble.pause;  // R2
    trouble.pause = is_same ? std::min(2 * trouble.pause, pauses_.most) : pauses_.first;
    trouble.due = now + trouble.pause;
    trouble.waits = true;
  }

  std::set<Key> take_due(core::Instant now) {
    std::set<Key> due;
    for (auto at = troubles_.begin(); at != troubles_.end();) {
      Trouble& trouble = at->second;
      if (trouble.waits && trouble.due <= now) {
        trouble.waits = false;
        due.insert(at->first);
      }
      const bool is_over = !trouble.waits && now >= trouble.due + 2 * trouble.pause;
      at = is_over ? troubles_.erase(at) : std::next(at);
    }
    return due;
  }

  std::size_t size() const { return troubles_.size(); }

 private:
  struct Trouble {
    core::Duration pause{};
    core::Instant due{};
    bool waits = false;
  };

  const RetryPauses pauses_;
  std::map<Key, Trouble> troubles_;
};

}  // namespace graspd::serve
