#include "sync/live_plan.h"

#include <algorithm>
#include <limits>

namespace graspd::sync {
namespace {

constexpr core::UnixSeconds kHotSpan = 30 * 86'400;

struct Limits {
  SliceLimits slice;
  GroupLimits group;
};

// R1: complete groups of full slices, class by class; the rest goes to `tail`.
std::vector<Group> lanes(const RepoIndex& index, const std::vector<Slice>& slices, Limits limits,
                         bool split_classes) {
  std::vector<Group> out;
  std::vector<Slice> tail;
  for (auto at = slices.begin(); at != slices.end();) {
    const auto end = std::find_if(at, slices.end(), [&](const Slice& slice) {
      return slice.filter_class != at->filter_class;
    });
    std::vector<Slice> full(at, std::prev(end)), rest{*std::prev(end)};
    auto groups = pack(index, full, limits.group);
    if (!split_classes && !groups.empty()) {  // the last may still grow
      rest.insert(rest.begin(), groups.back().begin(), groups.back().end());
      groups.pop_back();
    } else if (split_classes) {
      groups = pack(index, std::vector<Slice>(at, end), limits.group);
      rest.clear();
    }
    std::move(groups.begin(), groups.end(), std::back_inserter(out));
    std::move(rest.begin(), rest.end(), std::back_inserter(tail));
    at = end;
  }
  auto groups = pack(index, tail, limits.group);
  out.insert(out.begin(), groups.begin(), groups.end());  // L1 is in the tail: it goes first
  return out;
}

bool fits(const RepoIndex& index, const std::vector<Group>& groups, const Budget& budget) {
  if (groups.size() > budget.live_slots) return false;
  std::size_t bytes = 0;
  for (const Group& group : groups) bytes += group_bytes(index, group);
  return bytes <= budget.live_bytes;
}

// R3
std::vector<Slice> by_importance(const RepoIndex& index, const Items& items, const LiveNeeds& needs,
                                 SliceLimits limits, const Excluded& excluded) {
  Items hot, cold;
  hot.repos = items.repos;
  hot.states = items.states;
  for (const std::uint32_t root : items.roots.to_vector()) {
    const bool is_hot = index.last_active(RootId{root}) >= needs.now - kHotSpan;
    (is_hot ? hot : cold).roots.add(root);
  }
  auto slices = slice_items(index, hot, needs.grasp_server, limits, excluded);
  const auto more = slice_items(index, cold, true, limits, excluded);
  slices.insert(slices.end(), more.begin(), more.end());
  const auto essential = [](const Slice& slice) {
    return slice.filter_class <= FilterClass::RootBigE;
  };
  std::stable_partition(slices.begin(), slices.end(), essential);
  return slices;
}

void cut(const RepoIndex& index, std::vector<Group> groups, const Budget& budget, LivePlan& plan) {
  std::size_t bytes = 0;
  for (Group& group : groups) {
    bytes += group_bytes(index, group);
    const bool fits_still =
        plan.rotating.empty() && plan.live.size() < budget.live_slots && bytes <= budget.live_bytes;
    (fits_still ? plan.live : plan.rotating).push_back(std::move(group));
  }
}

std::size_t count_filters(const std::vector<Group>& groups) {
  std::size_t count = 0;
  for (const Group& group : groups) count += group.size();
  return count;
}

}  // namespace

LivePlan plan_live(const RepoIndex& index, const Items& items, const Budget& budget,
                   const LiveNeeds& needs, const Excluded& excluded) {
  LivePlan plan{.wide = needs.wide};
  Limits limits{.slice = {.values = needs.values_per_filter, .bytes = budget.filter_bytes},
                .group = {.filters = budget.filters_per_req, .bytes = budget.req_bytes}};
  const auto attempt = [&] {
    std::vector<Slice> slices{announcement_slice(needs.grasp_server)};
    const auto more = slice_items(index, items, needs.grasp_server, limits.slice, excluded);
    slices.insert(slices.end(), more.begin(), more.end());
    return lanes(index, slices, limits, needs.split_classes);
  };
  if (!plan.wide) {
    plan.live = attempt();
    plan.wide = count_filters(plan.live) > needs.consolidate_at || !fits(index, plan.live, budget);
  }
  if (plan.wide) {
    limits.slice.values = std::numeric_limits<std::size_t>::max();
    plan.live = attempt();
  }
  if (!fits(index, plan.live, budget)) {
    plan.live.clear();
    std::vector<Slice> slices{announcement_slice(needs.grasp_server)};
    const auto more = by_importance(index, items, needs, limits.slice, excluded);
    slices.insert(slices.end(), more.begin(), more.end());
    cut(index, pack(index, slices, limits.group), budget, plan);
  }
  plan.live_filters = count_filters(plan.live);
  plan.rotating_filters = count_filters(plan.rotating);
  return plan;
}

}  // namespace graspd::sync
