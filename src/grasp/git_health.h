// How the git data of a repository fares, as far as somebody looked. Two things that are easily
// taken for one:
//
//   synced    its branches and tags were as the newest signed state wants them;
//   verified  what is served was looked up: every declared ref, and every object they reach.
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
