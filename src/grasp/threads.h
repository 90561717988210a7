// What hung on a repository that is gone, and on nothing else here: issues, patches, pull requests,
// comments and the rest.
//
//   R1  Events that speak of one another (grasp/references.h), whichever of the other, are of one
//       thread. Profiles, states and requests of deletion belong to none.
//   R2  A thread stays as a whole when an anchor is in it: another announcement, a user's list of
//       servers (10317), or a pull request that lies in a pr_repository.
//   R3  A pull request stays only when it names an announcement that is here, or lies in a
//       pr_repository.
//   R4  Bounded in what is looked at and in what goes: beyond that, nothing ends.
//   R5  States stay while anybody announces a repository of their name, and go with the last.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "grasp/coordinate.h"
#include "grasp/pull_request.h"
#include "grasp/verdict.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct ThreadLimits {
  std::size_t events_max = 50'000;
  std::size_t references_max = 250'000;
  std::size_t ended_max = 20'000;
};

struct EndedThreads {
  std::vector<nostr::EventId> events;
  std::vector<PullRequest> pulls;  // of these
  std::vector<Coordinate> states;  // likewise: their authors, and what they call it
};

using LiesInPrRepository = std::function<bool(const PullRequest&)>;
// Nothing: too much hangs on it (R4), or the store failed.
std::optional<EndedThreads> ended_threads(const Departed& gone, const store::Snapshot& here,
                                          const LiesInPrRepository& lies_in_pr_repository,
                                          core::UnixSeconds now, const ThreadLimits& limits = {});

}  // namespace graspd::grasp
