// What to fetch when a served repository turns out to be damaged.
//
//   R1  All tips of the repository, from the servers that its announcements name.
//   R2  The commit of a pull request is also requested from the servers that the pull request
//       names. These servers are asked for nothing else, and do not delay the branches.
//   R3  If only the ref of a pull request is gone, its commit is requested from both.
//   R4  A limited number of pull requests at a time: the first of those given.
#pragma once
#include <optional>
#include <vector>

#include "git/fetch_messages.h"
#include "grasp/policy.h"

namespace graspd::serve {

inline constexpr std::size_t kPullRepairsMax = 64;

struct Damage {
  std::vector<git::Oid> tips;             // ascending; these, or parts of their history, are lost
  std::vector<grasp::PullRequest> pulls;  // whose commits are lost with them, or whose refs
};

struct RepairOrder {
  git::fetch::Wanted wanted;
  std::optional<nostr::EventId> pull;  // whose ref is to be set when it comes
};

git::fetch::EventKey repair_key(const git::fetch::RepoKey& repo);  // of what R1 asks for

std::vector<RepairOrder> repair_orders(const grasp::PolicySnapshot& policy,
                                       const grasp::Coordinate& coordinate, const Damage& damage,
                                       const grasp::Service& own);

}  // namespace graspd::serve
