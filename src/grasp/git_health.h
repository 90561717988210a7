// The health of a repository's git data, as of the last check. Two properties that are easily
// confused:
//
//   synced    its branches and tags were as the newest signed state declares them;
//   verified  every declared ref, and every object reachable from one, was found on disk.
#pragma once
#include <optional>
#include <string>

#include "core/time.h"

namespace graspd::grasp {

// What a peer served when it was last asked.
struct Comparison {
  std::string url;
  core::UnixSeconds at = 0;
  std::string difference;  // empty: the same

  bool operator==(const Comparison&) const = default;
};

struct GitHealth {
  std::optional<core::UnixSeconds> synced_at, verified_at;  // the last time it was so
  std::string behind;                                       // why it is not synced now
  std::string problem;                                      // why it is not verified now
  std::optional<Comparison> compared;

  bool is_synced() const { return synced_at && behind.empty(); }
  bool is_verified() const { return verified_at && problem.empty(); }
  bool is_broken() const { return !problem.empty(); }
  bool operator==(const GitHealth&) const = default;
};

}  // namespace graspd::grasp
