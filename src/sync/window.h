// A span of time to be read; both ends belong to it.
#pragma once
#include <optional>

#include "core/time.h"

namespace graspd::sync {

struct Window {
  std::optional<core::UnixSeconds> since, until;
  bool operator==(const Window&) const = default;
};

}  // namespace graspd::sync
