// Which live subscriptions a connection should have (sync.md §5): a function of what is wanted.
//
//   R1  Full slices of a class are in separate full groups; the remaining slices are together in
//       the tail. So growth changes only the tail, and full groups stay open (minimum churn).
//   R2  If slices of `values_per_filter` would exceed `consolidate_at` filters or do not fit the
//       slots, the plan uses slices as large as the relay accepts. It stays so for the connection,
//       so that it cannot alternate.
//   R3  What does not fit live rotates: the last classes first, and of roots the cold ones (no
//       event for 30 days) before the hot.
#pragma once
#include <vector>

#include "sync/budget.h"
#include "sync/slices.h"

namespace graspd::sync {

struct LiveNeeds {
  bool grasp_server = false;
  bool wide = false;           // R2, from the plan before
  bool split_classes = false;  // a REQ holds one class only: somebody refuses some of them
  std::size_t values_per_filter = 100;
  std::size_t consolidate_at = 70;
  core::UnixSeconds now = 0;
};
struct LivePlan {
  std::vector<Group> live, rotating;
  bool wide = false;
  std::size_t live_filters = 0, rotating_filters = 0;
};

LivePlan plan_live(const RepoIndex& index, const Items& items, const Budget& budget,
                   const LiveNeeds& needs, const Excluded& excluded);

}  // namespace graspd::sync
