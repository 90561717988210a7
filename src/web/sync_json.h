// The JSON of /api/sync: everything that is known, for programs.
//
//   R1  Names are snake_case and never change; times are unix seconds; unknown values are null.
//   R2  Relays are sorted by URL, repositories by name. `repositories_max` cuts the list of the
//       latter, never the totals. Fetches are limited to those that the report shows.
#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sync/sync_report.h"

namespace graspd::sync {

inline constexpr std::size_t kAllRepositories = std::numeric_limits<std::size_t>::max();

std::string to_json(const SyncReport& report, std::size_t repositories_max = kAllRepositories);

// By identifier, then by owner: as people look for them.
std::vector<const RepoStatus*> by_name(const Status& status, std::size_t max);
// Of "30617:<owner>:<identifier>".
std::string identifier_of(const std::string& address);
std::string owner_of(const std::string& address);  // npub1…

}  // namespace graspd::sync
