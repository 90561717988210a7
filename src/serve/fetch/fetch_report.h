// The hunt's own report in the words of pages: instants become times, codes become sentences.
//
//   R1  At most kHuntSourcesShown sources are listed; what is being asked is never left out.
#pragma once
#include "core/time.h"
#include "git/fetch_status.h"
#include "grasp/coordinate.h"
#include "sync/fetch_report.h"

namespace graspd::serve {

inline constexpr std::size_t kHuntSourcesShown = 5;

sync::HuntStatus hunt_view(const git::hunt::RepoStatus& repo, const grasp::Coordinate& view,
                           core::Now now);

}  // namespace graspd::serve
