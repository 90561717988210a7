// What of a group one alignment brings in line.
//
//   R1  Whoever waits for an answer waits for the repository in question and for those of its own
//       people: owners with authority over it. Anybody may announce the same identifier and point
//       at somebody else's repository; such repositories come later, in slices, and nobody waits
//       for them.
//   R2  Everything is listed in the end, each repository and each pull request that waits.
//   R3  Whoever sends a state does not wait for pull requests of the same identifier: anybody may
//       send thousands. A state brings no commits, so there is nothing new for them either, unless
//       it lets a repository be served or has history copied into one. Nor is there for
//       repositories that its author does not rule.
#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "grasp/policy.h"

namespace graspd::serve {

// A pull request, and from which of its repositories on.
struct PullScope {
  nostr::EventId id;
  std::size_t from = 0;

  bool operator==(const PullScope&) const = default;
};

struct AlignmentScope {
  std::vector<grasp::Coordinate> repos;
  std::vector<PullScope> pulls;  // waiting, or served: their refs are set
  bool patient = false;          // nobody waits: repositories of strangers get their copies too
  // States that nobody here has the data of, as the slices of one walk have found: one at a time. A
  // push that brings it asks for another walk.
  std::shared_ptr<std::set<nostr::EventId>> unheld = {};
  // Of the repositories only those that one of these rules; nullptr: all. See leave_out_others().
  std::shared_ptr<const std::set<nostr::PublicKey>> ruled_by = {};
  // R3. Its author, when a state was sent, and no data.
  std::optional<nostr::PublicKey> state_of = {};
};

// R1. The repository, and those of its people.
AlignmentScope around(const grasp::PolicySnapshot& policy, const grasp::Coordinate& repo,
                      std::size_t max);
// The author's repository and those of its people; of who has none, some of those the state may
// rule.
AlignmentScope around_state(const grasp::PolicySnapshot& policy, const nostr::PublicKey& author,
                            const grasp::Identifier& identifier, std::size_t max);

// Pull requests that are looked at together: a look costs little more for many than for one.
inline constexpr std::size_t kPullsPerSlice = 256;

// Of one identifier, before others have their turn.
inline constexpr std::size_t kReposPerSlice = 8;

// R2. Of at most `repos_at_once` repositories, or kPullsPerSlice pull requests, each. There is
// always one: that nothing is left of a group is news as well.
std::deque<AlignmentScope> slices(const grasp::PolicySnapshot& policy,
                                  const grasp::Identifier& identifier, std::size_t repos_at_once);

// What `ruled_by` asks for. A walk with it is quick where nothing can have changed.
void leave_out_others(const grasp::PolicySnapshot& policy, AlignmentScope& scope);

// Repositories whose state is `state`, those first that most likely have its data. It looks at
// twice as many as it may find.
std::vector<grasp::Coordinate> ruled_alike(const grasp::PolicySnapshot& policy,
                                           const grasp::RepoState& state, std::size_t max);

// Repositories of a pull request: those it names, those of their people, then those of strangers.
struct PullRepos {
  std::vector<grasp::Coordinate> repos;
  std::size_t near = 0;  // so many of them are no strangers'
};
PullRepos repos_by_nearness(const grasp::PolicySnapshot& policy, const grasp::PullRequest& pull);

}  // namespace graspd::serve
