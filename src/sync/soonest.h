// The soonest of several times to come.
//
//   R1  A time that has passed counts only if it is overdue (`overdue`): what waits for something
//       else than time must not wake us again and again.
#pragma once
#include <algorithm>
#include <optional>

#include "core/time.h"

namespace graspd::sync {

class Soonest {
 public:
  explicit Soonest(core::Now now) : now_(now) {}

  const core::Now& now() const { return now_; }
  void add(std::optional<core::Instant> at) {
    if (at && *at > now_.instant) overdue(at);
  }
  void overdue(std::optional<core::Instant> at) {  // even if it has passed
    if (at) at_ = std::min(at_.value_or(*at), *at);
  }
  std::optional<core::Instant> at() const { return at_; }

 private:
  core::Now now_;
  std::optional<core::Instant> at_;
};

}  // namespace graspd::sync
