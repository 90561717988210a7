// Brings commits of pull requests from where they lie into the hosted repositories they are about,
// and sets refs/nostr/<id> there. Rule numbers are those of serve/host/ref_aligner.h.
#pragma once
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "serve/host/alignment_context.h"

namespace graspd::serve {

class PullAligner {
 public:
  // Waiting pull requests that are looked at for whoever waits, beside those that are asked for.
  static constexpr std::size_t kPullsAtOnce = 16;

  explicit PullAligner(AlignmentContext& context) : context_(context) {}

  // Those that are asked for. What need not wait any longer is then among the released.
  void align();

 private:
  // A pull request that is looked at, and the repositories it gets to now.
  struct DuePull {
    grasp::PullRequest pull;
    std::vector<grasp::Coordinate> repos;
    bool is_apart = false;  // something lies in quarantine or in a PR repository for it
    std::vector<grasp::Coordinate> all_repos = {};  // then
    std::optional<PullScope> left = {};             // for later
    std::optional<grasp::Coordinate> holder = {};   // the repository that has its commit
    bool is_visible = false;
  };
  std::vector<PullScope> asked_pulls();
  std::vector<DuePull> due_pulls(const std::vector<PullScope>& pulls) const;
  void collect_released(const std::vector<DuePull>& due);
  void bring_apart(DuePull& one);
  void align_alike(const std::vector<grasp::Coordinate>& repos, const std::vector<DuePull*>& pulls);
  void find_holders(const std::vector<grasp::Coordinate>& repos,
                    const std::vector<DuePull*>& pulls) const;
  std::vector<DuePull*> brought(const grasp::Coordinate& holder, const grasp::Coordinate& repo,
                                std::vector<DuePull*> pulls);
  bool has_space_for(const grasp::Coordinate& repo, const grasp::PullRequest& pull,
                     std::uint64_t bytes) const;
  std::set<git::Oid> whole_in(const grasp::Coordinate& repo,
                              const std::vector<DuePull*>& pulls) const;
  std::vector<grasp::Coordinate> first_of(const PullRepos& all) const;
  static std::vector<grasp::Coordinate> slice_of(const PullRepos& all, std::size_t from);
  bool align_pr_repositories(const DuePull& one);
  void take_pr_repository_uploads(const grasp::PullRequest& pull,
                                  const std::vector<grasp::Coordinate>& pr_repositories);
  std::optional<grasp::Coordinate> take_upload(const grasp::PullRequest& pull,
                                               const std::vector<grasp::Coordinate>& repos);
  bool share_authority(const grasp::Coordinate& a, const grasp::Coordinate& b) const;
  void set_pull_refs(const grasp::Coordinate& repo, const std::vector<DuePull*>& pulls);
  void set_some_pull_refs(const grasp::Coordinate& repo, std::span<DuePull* const> pulls);
  std::vector<std::size_t> apply_most(const grasp::Coordinate& repo,
                                      std::span<const git::RefUpdate> updates);

  AlignmentContext& context_;
  std::size_t refusals_ = 0;  // of git, to set refs of pull requests
  bool has_asked_ = false;    // for those that wait: once (R9)
};

}  // namespace graspd::serve
