// Filters as values of handles, before they become text (sync.md §2, §5).
//
//   R1  Classes are in order of importance: what does not fit live is cut from the end.
//   R2  A slice holds handles in ascending order. New handles are the largest, so growth touches
//       only the last slice of a class.
//   R3  A slice holds at most `values` values of at most `bytes` bytes together; a value that is
//       larger alone is a slice of its own.
#pragma once
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/time.h"
#include "nostr/filter.h"
#include "sync/items.h"
#include "sync/repo_index.h"

namespace graspd::sync {

enum class FilterClass : std::uint8_t {
  Announcements,  // L1 on a GRASP server: 30617, 30618, 10317
  Repositories,   // L1 elsewhere: 30617, 10317
  States,         // 30618 by #d, elsewhere
  RepoA,          // L2: #a
  RootE,          // L3: #e
  RootBigE,       // #E
  RepoBigA,       // #A
  RepoQ,          // #q
  RootQ,          // #q
  Given,          // as an operator wrote it: one filter is one value (RepoIndex::given)
};

// What a policy refusal pauses (§5): a class of requests, not the relay.
enum class RequestClass : std::uint8_t { Announcements, Repos, Roots, Ids, Given };
RequestClass request_class(FilterClass filter_class);

struct Slice {
  FilterClass filter_class = FilterClass::Announcements;
  std::vector<std::uint32_t> ids;  // RepoId or RootId; empty for L1
  bool operator==(const Slice&) const = default;
};
using Group = std::vector<Slice>;  // of one REQ

// Does it ask for announcements or states, also of repositories that nobody follows there?
inline bool names_repositories(const Slice& slice) {
  return slice.filter_class <= FilterClass::States;
}

// Values that are left out of their class.
using Excluded = std::set<std::pair<FilterClass, std::uint32_t>>;

struct SliceLimits {
  std::size_t values = 100;
  std::size_t bytes = 32 * 1024;
};

// Many relays take no longer value of a tag; one that is refused for it is left out for a while.
inline constexpr std::size_t kLongValue = 255;
inline constexpr core::Duration kParked = std::chrono::hours(24);

std::size_t value_bytes(const RepoIndex& index, FilterClass filter_class, std::uint32_t id);
std::size_t slice_bytes(const RepoIndex& index, const Slice& slice);
nostr::Filter to_filter(const RepoIndex& index, const Slice& slice);

Slice announcement_slice(bool grasp_server);
// The slices of one class.
std::vector<Slice> slice_class(const RepoIndex& index, FilterClass filter_class, const IdSet& ids,
                               SliceLimits limits, const Excluded& excluded);
// Those of all items, in the order of classes; without L1.
std::vector<Slice> slice_items(const RepoIndex& index, const Items& items, bool grasp_server,
                               SliceLimits limits, const Excluded& excluded);

struct GroupLimits {
  std::size_t filters = 10;
  std::size_t bytes = 96 * 1024;
};
// In the given order, as many to a group as fit.
std::vector<Group> pack(const RepoIndex& index, const std::vector<Slice>& slices,
                        GroupLimits limits);
std::size_t group_bytes(const RepoIndex& index, const Group& group);

}  // namespace graspd::sync
