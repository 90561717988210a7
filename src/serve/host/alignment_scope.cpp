#include "serve/host/alignment_scope.h"

#include <algorithm>
#include <span>

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PolicySnapshot;

bool contains(const std::vector<Coordinate>& repos, const Coordinate& repo) {
  return std::ranges::find(repos, repo) != repos.end();
}

bool is_served(const PolicySnapshot& policy, const Coordinate& repo) {
  const grasp::Listing* listing = policy.catalog().find(repo);
  return listing && listing->place == grasp::Place::Served;
}

// Where many people have signed states of one identifier, it takes some tens of microseconds to
// tell which of these rules a repository: only so many are asked for each that is to be found.
constexpr std::size_t kAskedPerFound = 2;

// The author's own first, then what is served.
std::vector<Coordinate> likely_first(const PolicySnapshot& policy, const nostr::PublicKey& author,
                                     std::vector<Coordinate> repos) {
  std::erase_if(repos, [&](const Coordinate& repo) { return !policy.is_open(repo); });
  std::ranges::stable_partition(repos,
                                [&](const Coordinate& repo) { return is_served(policy, repo); });
  std::ranges::stable_partition(repos,
                                [&](const Coordinate& repo) { return repo.owner == author; });
  return repos;
}

}  // namespace

AlignmentScope around(const PolicySnapshot& policy, const Coordinate& repo, std::size_t max) {
  AlignmentScope scope;
  if (policy.is_open(repo)) scope.repos.push_back(repo);
  for (const nostr::PublicKey& member : policy.catalog().authority(repo).members) {
    const Coordinate of_member{member, repo.identifier};
    if (scope.repos.size() >= max) break;
    if (of_member != repo && policy.is_open(of_member)) scope.repos.push_back(of_member);
  }
  return scope;
}

AlignmentScope around_state(const PolicySnapshot& policy, const nostr::PublicKey& author,
                            const grasp::Identifier& identifier, std::size_t max) {
  const Coordinate own{author, identifier};
  AlignmentScope scope;
  if (policy.is_open(own)) scope = around(policy, own, max);
  scope.state_of = author;
  if (!scope.repos.empty()) return scope;
  scope.repos = likely_first(policy, author, policy.catalog().repos_ruled_by(author, identifier));
  while (scope.repos.size() > max) scope.repos.pop_back();
  return scope;
}

std::deque<AlignmentScope> slices(const PolicySnapshot& policy, const grasp::Identifier& identifier,
                                  std::size_t repos_at_once) {
  const AlignmentScope empty{.repos = {},
                             .pulls = {},
                             .patient = true,
                             .unheld = std::make_shared<std::set<nostr::EventId>>()};
  std::deque<AlignmentScope> all{empty};
  for (const Coordinate& repo : policy.catalog().repos(identifier)) {
    if (!policy.is_open(repo)) continue;
    if (all.back().repos.size() >= repos_at_once) all.push_back(empty);
    all.back().repos.push_back(repo);
  }
  if (policy.purgatory().pulls().count(identifier) > 0) all.push_back(empty);
  for (const nostr::EventId& id : policy.purgatory().pulls().of(identifier)) {
    if (all.back().pulls.size() >= kPullsPerSlice) all.push_back(empty);
    all.back().pulls.push_back({id});
  }
  return all;
}

void leave_out_others(const PolicySnapshot& policy, AlignmentScope& scope) {
  if (!scope.ruled_by) return;
  std::erase_if(scope.repos, [&](const Coordinate& repo) {
    const auto& authority = policy.catalog().authority(repo);
    return std::ranges::none_of(*scope.ruled_by,
                                [&](const auto& key) { return authority.contains(key); });
  });
}

std::vector<Coordinate> ruled_alike(const PolicySnapshot& policy, const grasp::RepoState& state,
                                    std::size_t max) {
  const auto& identifier = state.identifier;
  std::vector<Coordinate> alike;
  const auto likely =
      likely_first(policy, state.author, policy.catalog().repos_ruled_by(state.author, identifier));
  for (const Coordinate& repo :
       std::span(likely).first(std::min(likely.size(), kAskedPerFound * max))) {
    if (alike.size() >= max) break;
    const auto ruling = policy.ruling(repo);
    if (ruling && ruling->version.id == state.id) alike.push_back(repo);
  }
  return alike;
}

PullRepos repos_by_nearness(const PolicySnapshot& policy, const grasp::PullRequest& pull) {
  PullRepos all{policy.repos_of(pull), 0};
  const auto is_named = [&](const Coordinate& repo) { return contains(pull.repositories, repo); };
  const auto is_of_their_people = [&](const Coordinate& repo) {
    return std::ranges::any_of(pull.repositories, [&](const Coordinate& named) {
      return named.identifier == repo.identifier &&
             policy.catalog().authority(named).contains(repo.owner);
    });
  };
  const auto others = std::ranges::stable_partition(all.repos, is_named);
  const auto strangers = std::ranges::stable_partition(others, is_of_their_people);
  all.near = all.repos.size() - strangers.size();
  return all;
}

}  // namespace graspd::serve
