// How much a relay returned for one filter, and when: a relay that was suspected of holding back
// after a few events is cleared once it returns more than those, and an answer counts as whole only
// if the relay returned larger ones at the time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

#include "core/time.h"

namespace graspd::sync {

class RecentAnswers {
 public:
  void saw(std::size_t count, core::Instant at) {
    while (!answers_.empty() && answers_.back().count <= count) answers_.pop_back();
    answers_.push_back({count, at});
    if (answers_.size() > kKept) answers_.pop_back();  // the smallest says least
    if (records_.empty() || records_.back().count < count) records_.push_back({count, at});
    if (records_.size() > kKept) records_.pop_front();  // a later time is the more careful one
  }
  // When it first returned more than so many.
  std::optional<core::Instant> first_above(std::size_t count) const {
    for (const Answer& one : records_) {
      if (one.count > count) return one.at;
    }
    return std::nullopt;
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
  std::deque<Answer> records_;  // each larger and later than the one before
};

}  // namespace graspd::sync
