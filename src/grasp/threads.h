// The events that belonged only to a repository that is gone: issues, patches, pull requests,
// comments and others.
//
//   R1  Events that refer to each other (grasp/references.h), in either direction, belong to one
//       thread. Profiles, states and deletions belong to none.
//   R2  A thread stays as a whole if it contains an anchor: another announcement, a user's list of
//       servers (10317), or a pull request in a PR repository.
//   R3  A pull request stays only if it names an announcement that is here, or is in a
//       PR repository.
//   R4  The numbers of events examined and removed are limited: beyond them, nothing is removed.
//   R5  States stay as long as anybody announces a repository of their identifier.
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
  struct State {
    nostr::EventId id;
    Coordinate key;  // its author, and what they call it
  };
  std::vector<nostr::EventId> events;
  std::vector<PullRequest> pulls;  // of these
  std::vector<State> states;       // besides
};

using LiesInPrRepository = std::function<bool(const PullRequest&)>;
// Nothing: too much hangs on it (R4), or the store failed.
std::optional<EndedThreads> ended_threads(const Departed& gone, const store::Snapshot& here,
                                          const LiesInPrRepository& lies_in_pr_repository,
                                          core::UnixSeconds now, const ThreadLimits& limits = {});

}  // namespace graspd::grasp
