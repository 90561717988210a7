// The policy as it was after some commit: everything that can be asked about it.
//
//   R1  A snapshot never changes. Any number of threads may ask it at the same time, and keep it as
//       long as they like: nobody waits for them.
//   R2  It shares its parts with those before and after it: to keep one costs what has changed
//       since.
//   R3  It knows nothing of what is in the store, but for the catalog.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grasp/policy_state.h"
#include "grasp/pull_request.h"

namespace graspd::grasp {

class PolicySnapshot {
 public:
  explicit PolicySnapshot(PolicyState state) : state_(std::move(state)) {}

  const Catalog& catalog() const { return state_.catalog; }
  const Purgatory& purgatory() const { return state_.purgatory; }
  const OrphanPool& orphan_pool() const { return state_.rejections.orphans(); }
  const RejectedIds& rejected() const { return state_.rejections.ids(); }
  const StrangerPool& stranger_requests() const { return state_.stranger_requests; }
  const StrangerPool& stranger_lists() const { return state_.stranger_lists; }
  RejectedMeter rejected_meter() const { return state_.rejections.meter(); }
  const Rules& rules() const { return state_.rules(); }

  // Held, waiting or refused: it need not come again (grasp/policy.h R6).
  bool knows(const nostr::EventId& id) const;
  std::vector<nostr::WireEventPtr> kept_events() const;  // of those, all that are here whole

  // A repository that git may be asked for: served, or waiting and awake.
  bool is_open(const Coordinate& repo) const;
  // Its announcement, hosted here or a guest's.
  bool is_served(const Coordinate& coordinate) const;
  // Repositories of the identifier that are out of service and may return: their folders may be
  // there.
  std::vector<Coordinate> departed(const Identifier& identifier) const;
  std::optional<Ruling> ruling(const Coordinate& repo) const { return state_.ruling(repo); }
  // Repositories that carry the ref of a pull request.
  std::vector<Coordinate> repos_of(const PullRequest& pull) const;
  // grasp/rules.h
  std::vector<Coordinate> pr_repositories_of(const PullRequest& pull) const {
    return rules().pr_repositories_of(pull);
  }
  bool takes_pr_repository(const Coordinate& pr_repository) const {
    return rules().takes_pr_repository(pr_repository);
  }
  std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                                 const Coordinate& pr_repository,
                                                 const git::Oid& commit) const {
    return rules().pr_repository_fault(pull, pr_repository, commit);
  }

  // What a crash left half done with threads (grasp/policy.h R12).
  void resume_threads(Transition& changes) const;
  bool has_ended_threads(const Coordinate& of) const { return state_.threads.contains(of); }

  const PolicyState::Stranded& stranded() const { return state_.stranded; }

  // Everything that a restart must find (grasp/policy_state.h R3).
  std::map<std::string, std::string> contents() const { return state_.contents(); }

 private:
  friend class Policy;  // it decides what comes next on a copy
  PolicyState state_;
};

}  // namespace graspd::grasp
