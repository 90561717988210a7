// How much a relay returned for one filter, and when: a relay that was suspected of holding back
// after a few events is cleared once it returns more than those.
#pragma once
#include <algorithm>
#include <cstddef>
#include <deque>

#include "core/time.h"

namespace graspd::sync {

class RecentAnswers {
 public:
  void saw(std::size_t count, core::Instant at) {
    while (!answers_.empty() && answers_.back().count <= count) answers_.pop_back();
    answers_.push_back({count, at});
    if (answers_.size() > kKept) answers_.pop_back();  // the smallest says least
  }
  bool gave_more_than(std::size_t count, core::Instant since) const {
    return std::any_of(answers_.begin(), answers_.end(),
                       [&](const Answer& one) { return one.count > count && one.at > since; });
  }

 private:
  struct Answer {
    std::size_t count = 0;
    core::Instant at{};
  };
  static constexpr std::size_t kKept = 16;
  std::deque<Answer> answers_;  // each smaller and later than the one before
};

}  // namespace graspd::sync
