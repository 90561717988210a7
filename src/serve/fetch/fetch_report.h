// Translates the scheduler's status for pages: instants become times, codes become words.
//
//   R1  At most kFetchSourcesShown sources are listed; sources with a running request are always
//       listed.
#pragma once
#include "core/time.h"
#include "git/fetch_status.h"
#include "grasp/coordinate.h"
#include "sync/fetch_report.h"

namespace graspd::serve {

inline constexpr std::size_t kFetchSourcesShown = 5;

sync::FetchStatus fetch_report_of(const git::fetch::RepoStatus& repo,
                                  const grasp::Coordinate& coordinate, core::Now now);

}  // namespace graspd::serve
