// The PR repositories of grasp/pr_repository.h on disk: <root>/prs/<hex>/<identifier>.git, bare
// repositories with refs/nostr/<event id> for each pull request in them, and nothing else.
//
//   R1  A PR repository exists from its first pull request to its last. One empty repository stands
//       in for all the others: asking for a PR repository, or pushing what nobody signed, leaves
//       nothing behind.
//   R2  A ref appears when its whole history is here, and not before.
//   R3  Bounded per PR repository and in all: whoever runs out of one makes another key.
//   R4  A PR repository lends nothing and borrows nothing. Others get copies.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "git/ref_name.h"
#include "gitio/repo_locks.h"
#include "gitio/staging.h"
#include "grasp/pr_repository.h"

namespace graspd::serve {

// 0: no limit.
struct PrLimits {
  std::uint64_t pr_repository_bytes_max = 512ULL << 20;
  std::uint64_t bytes_max = 10ULL << 30;  // of all PR repositories
};

class PrRepositories {
 public:
  PrRepositories(std::filesystem::path root, git::RefName unborn_branch, PrLimits limits,
                 gitio::RepoLocks& locks);

  // Removes folders of people without pr_repositories. Before anything else.
  void load();

  std::string key(const grasp::Coordinate& pr_repository) const {
    return grasp::pr_repository_path(pr_repository);
  }
  std::filesystem::path path(const grasp::Coordinate& pr_repository) const {
    return root_ / key(pr_repository);
  }
  // What git is shown: the PR repository, or the empty repository (R1).
  std::filesystem::path shown(const grasp::Coordinate& pr_repository) const;
  // Where the ref of a pull request is, if its object is there too.
  std::optional<git::Oid> find(const grasp::Coordinate& pr_repository,
                               const nostr::EventId& id) const;

  // All of these block.
  core::Result<core::Done, std::string> put(const grasp::Coordinate& pr_repository,
                                            const nostr::EventId& id, const git::Oid& commit,
                                            gitio::Staging& staging);
  void drop(const grasp::Coordinate& pr_repository, const std::vector<nostr::EventId>& ids);
  // Measures all PR repositories, and drops what has no event any more: a crash came between.
  using HasEvent =
      std::function<bool(const grasp::Coordinate& pr_repository, const nostr::EventId& id)>;
  void tidy(const HasEvent& has_event);

  // R3
  std::optional<std::string> full(const grasp::Coordinate& pr_repository) const;
  std::optional<std::uint64_t> bytes_left(const grasp::Coordinate& pr_repository) const;
  const PrLimits& limits() const { return limits_; }
  struct Totals {
    std::size_t pr_repositories = 0;
    std::uint64_t bytes = 0;
  };
  Totals totals() const;

 private:
  core::Result<core::Done, std::string> fill(const grasp::Coordinate& pr_repository,
                                             const nostr::EventId& id, const git::Oid& commit,
                                             gitio::Staging& staging);
  void drop_refs(const grasp::Coordinate& pr_repository, const std::vector<git::RefName>& gone);
  void remove_if_empty(const grasp::Coordinate& pr_repository);
  void measure(const grasp::Coordinate& pr_repository);
  std::vector<grasp::Coordinate> all() const;

  const std::filesystem::path root_;
  const git::RefName unborn_branch_;
  const PrLimits limits_;
  gitio::RepoLocks& locks_;
  mutable std::mutex mutex_;  // of what follows
  std::map<grasp::Coordinate, std::uint64_t> bytes_;
  std::uint64_t all_bytes_ = 0;
};

// refs/nostr/<event id>
git::RefName pull_ref(const nostr::EventId& id);
std::optional<nostr::EventId> pull_of(const git::RefName& ref);

}  // namespace graspd::serve
