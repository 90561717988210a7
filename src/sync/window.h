// A span of time to be read; both ends belong to it.
#pragma once
#include <algorithm>
#include <optional>

#include "core/time.h"

namespace graspd::sync {

struct Window {
  std::optional<core::UnixSeconds> since, until;
  bool operator==(const Window&) const = default;
};

// The shortest that holds both.
inline Window hull(const Window& a, const Window& b) {
  Window out;
  if (a.since && b.since) out.since = std::min(*a.since, *b.since);
  if (a.until && b.until) out.until = std::max(*a.until, *b.until);
  return out;
}

}  // namespace graspd::sync
