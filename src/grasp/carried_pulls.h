// The pull requests whose refs a hosted repository carries: those that are stored and name it, or
// name the repository of one of its members.
//
//   R1  Newest first, with a maximum, because anybody may send them. Older ones are left out.
//   R2  Only those that name a commit.
#pragma once
#include <cstddef>
#include <vector>

#include "grasp/maintainers.h"
#include "grasp/pull_request.h"
#include "store/event_store.h"

namespace graspd::grasp {

core::Result<std::vector<PullRequest>, store::StoreError> carried_pulls(const Coordinate& repo,
                                                                        const Authority& authority,
                                                                        const store::Snapshot& here,
                                                                        core::UnixSeconds now,
                                                                        std::size_t max);

}  // namespace graspd::grasp
