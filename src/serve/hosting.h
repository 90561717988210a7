// What the parts that host repositories share: the policy behind its lock, the folders, the locks
// of repositories.
//
//   R1  The policy is touched only under `mutex`, for moments: no git, no waiting there.
//   R2  A path is made from a coordinate, never from a request.
#pragma once
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "git/command_line.h"
#include "git/ref_name.h"
#include "gitio/repo_locks.h"
#include "grasp/policy.h"
#include "serve/followed_states.h"
#include "serve/ingest.h"
#include "serve/lossy_views.h"
#include "serve/pushes_under_way.h"
#include "serve/received_bytes.h"
#include "serve/trays.h"

namespace graspd::serve {

struct HostingOptions {
  std::filesystem::path root;  // absolute
  git::RefName unborn_branch = *git::RefName::parse("refs/heads/master");
  git::ReceiveLimits receive;
  std::uint64_t repository_bytes_max = 0;  // 0: no quota
  std::uint64_t free_bytes_min = 512ULL << 20;
  bool read_only = false;  // an archive: nobody pushes
  TrayLimits trays;
  // Views of its own people that a push brings up to date before it is answered; the rest follow.
  std::size_t inline_views_max = 16;
};

struct Hosting {
  Hosting(HostingOptions with_options, grasp::PolicyOptions policy_options,
          store::EventStore& store)
      : options(std::move(with_options)),
        policy(std::move(policy_options), store),
        trays(options.root, options.unborn_branch, options.trays, views) {}

  std::filesystem::path path(const grasp::Coordinate& view) const {
    return options.root / view.path();
  }
  std::string key(const grasp::Coordinate& view) const { return view.path(); }

  bool has_repository(const grasp::Coordinate& view) const;
  // Empty, unless it is there. False: it cannot be made, and the log says why. Blocks.
  bool make_repository(const grasp::Coordinate& view);

  template <class Question>
  auto ask(const Question& question) {
    std::lock_guard lock(mutex);
    return question(policy);
  }

  // Writes through the ingest and waits until it is durable and announced: what became of each
  // event. Nothing: nothing was written.
  std::optional<std::vector<store::Written>> admit(std::vector<nostr::WireEventPtr> events,
                                                   relay::Effects effects);

  const HostingOptions options;
  std::mutex mutex;
  grasp::Policy policy;
  // Whoever writes to a repository holds its lock in `views`. Whoever copies from it holds the one
  // in `packs`, which keeps only those away who remove packs: they hold both. Packs come first.
  gitio::RepoLocks views, packs;
  LossyViews lossy;
  FollowedStates followed;
  PushesUnderWay under_way;
  ReceivedBytes received;
  Trays trays;
  Ingest* ingest = nullptr;  // set before anything is decided
};

}  // namespace graspd::serve
