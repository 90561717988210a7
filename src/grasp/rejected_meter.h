// Counts rejected events by their type.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "grasp/coordinate.h"

namespace graspd::grasp {

inline constexpr std::array<std::string_view, 3> kEventTypes = {"announcement", "state", "other"};
using PerType = std::array<std::uint64_t, kEventTypes.size()>;

inline std::size_t event_type(nostr::Kind kind) {
  if (kind == kinds::kAnnouncement) return 0;
  return kind == kinds::kState ? 1 : 2;
}

struct RejectedMeter {
  PerType hot_current{};   // whole, in the waiting space
  PerType cold_current{};  // remembered by id
  PerType hot_hits{};      // what it lacked came, and it was here to be tried again
  PerType hot_misses{};    // what it lacked came, and only its id was here
  PerType hot_expired{}, cold_expired{};
  PerType invalidated{};  // ids forgotten because what they lacked came
};

}  // namespace graspd::grasp
