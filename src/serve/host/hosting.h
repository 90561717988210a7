// What the parts that host repositories share: the policy, the folders, the locks of repositories.
//
//   R1  What is known is read from a reader, known(). The policy is changed by requests to its
//       owner (policy_owner.h), and by nobody else.
//   R2  A path is made from a coordinate, never from a request.
//   R3  A folder is made for the first data of a repository, not for its announcement: a key and
//       an announcement cost nothing, a folder costs inodes.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "git/command_line.h"
#include "git/ref_name.h"
#include "gitio/repo_locks.h"
#include "serve/host/followed_states.h"
#include "serve/host/incomplete_repositories.h"
#include "serve/host/own_bytes.h"
#include "serve/host/policy_owner.h"
#include "serve/host/pr_repositories.h"
#include "serve/host/pull_ref_counts.h"
#include "serve/host/pushes_under_way.h"
#include "serve/host/received_bytes.h"
#include "serve/relay/ingest.h"
#include "serve/runtime/free_disk.h"

namespace graspd::serve {

struct HostingOptions {
  std::filesystem::path root;  // absolute
  git::RefName unborn_branch = *git::RefName::parse("refs/heads/master");
  git::ReceiveLimits receive;
  std::uint64_t repository_bytes_max = 0;  // 0: no quota
  std::shared_ptr<const FreeDisk> disk;    // nullptr: not guarded
  bool read_only = false;                  // an archive: nobody pushes
  PrLimits pr_repositories;
  // Repositories of its own people that a push brings up to date before it is answered; the rest
  // follow.
  std::size_t inline_repos_max = 16;
  // Of strangers, in one repository. Each is a line that every fetch of an old client and every
  // push is sent, and more are not looked at by the verification. 0: any number.
  std::size_t pull_refs_max = 4'000;
  // Of the quota of a repository, for the objects that only pull requests of strangers reach: they
  // may fill that, and the owner needs the rest. 0: none are taken where there is a quota.
  unsigned pull_quota_percent = 25;
};

struct Hosting {
  Hosting(HostingOptions with_options, grasp::PolicyOptions policy_options,
          store::EventStore& with_store)
      : options(std::move(with_options)),
        store(with_store),
        policy(std::move(policy_options), with_store),
        pr_repositories(options.root, options.unborn_branch, options.pr_repositories, repos) {}

  std::filesystem::path path(const grasp::Coordinate& repo) const {
    return options.root / repo.path();
  }
  std::string key(const grasp::Coordinate& repo) const { return repo.path(); }

  bool is_low_on_disk() const { return options.disk && options.disk->is_low(); }
  // R3
  bool has_repository(const grasp::Coordinate& repo) const;
  // What git is shown: the repository, or the empty one that stands in for it.
  std::filesystem::path shown(const grasp::Coordinate& repo) const;
  // Empty, unless it is there. The caller holds the lock of the repository. Fails when the
  // repository is not open any more, or when the disk does not take it.
  core::Result<core::Done, std::string> make_repository(const grasp::Coordinate& repo);
  // For one whose folder was lost. Takes the lock. Blocks.
  void restore_folder(const grasp::Coordinate& repo);

  // R1
  KnownPolicy known() const { return policy.known(); }
  void change(PolicyOwner::Request request) { policy.change(std::move(request)); }
  bool change_and_wait(const PolicyOwner::Request& request) {
    return policy.change_and_wait(request);
  }
  // Waiting or stored.
  std::optional<grasp::RepoState> find_state(const nostr::EventId& id,
                                             const grasp::Identifier& identifier) const;
  std::optional<grasp::PullRequest> find_pull(const nostr::EventId& id) const;
  bool is_stored(const nostr::EventId& id) const;

  const HostingOptions options;
  const store::EventStore& store;
  PolicyOwner policy;
  // Whoever writes to a repository holds its lock in `repos`. Whoever copies from it holds the one
  // in `packs`, which keeps only those away who remove packs: they hold both. Packs come first.
  gitio::RepoLocks repos, packs;
  IncompleteRepositories incomplete;
  FollowedStates followed;
  PullRefCounts pull_refs;
  OwnBytes own_bytes;
  PushesUnderWay under_way;
  ReceivedBytes received;
  PrRepositories pr_repositories;
  Ingest* ingest = nullptr;  // set before anything is decided
};

}  // namespace graspd::serve
