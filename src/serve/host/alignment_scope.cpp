#include "serve/host/alignment_scope.h"

#include <algorithm>
#include <span>

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PolicySnapshot;

bool contains(const std::vector<Coordinate>& views, const Coordinate& view) {
  return std::ranges::find(views, view) != views.end();
}

bool is_served(const PolicySnapshot& policy, const Coordinate& view) {
  const grasp::Listing* listing = policy.catalog().find(view);
  return listing && listing->place == grasp::Place::Served;
}

// Where many people have signed states of one identifier, it takes some tens of microseconds to
// tell which of these rules a view: only so many are asked for each that is to be found.
constexpr std::size_t kAskedPerFound = 2;

// The author's own first, then what is served.
std::vector<Coordinate> likely_first(const PolicySnapshot& policy, const nostr::PublicKey& author,
                                     std::vector<Coordinate> views) {
  std::erase_if(views, [&](const Coordinate& view) { return !policy.is_open(view); });
  std::ranges::stable_partition(views,
                                [&](const Coordinate& view) { return is_served(policy, view); });
  std::ranges::stable_partition(views,
                                [&](const Coordinate& view) { return view.owner == author; });
  return views;
}

}  // namespace

AlignmentScope around(const PolicySnapshot& policy, const Coordinate& view, std::size_t max) {
  AlignmentScope scope;
  if (policy.is_open(view)) scope.views.push_back(view);
  for (const nostr::PublicKey& member : policy.catalog().authority(view).members) {
    const Coordinate of_member{member, view.identifier};
    if (scope.views.size() >= max) break;
    if (of_member != view && policy.is_open(of_member)) scope.views.push_back(of_member);
  }
  return scope;
}

AlignmentScope around_state(const PolicySnapshot& policy, const nostr::PublicKey& author,
                            const grasp::Identifier& identifier, std::size_t max) {
  const Coordinate own{author, identifier};
  AlignmentScope scope;
  if (policy.is_open(own)) scope = around(policy, own, max);
  scope.state_of = author;
  if (!scope.views.empty()) return scope;
  scope.views = likely_first(policy, author, policy.catalog().views_ruled_by(author, identifier));
  while (scope.views.size() > max) scope.views.pop_back();
  return scope;
}

std::deque<AlignmentScope> slices(const PolicySnapshot& policy, const grasp::Identifier& identifier,
                                  std::size_t views_at_once) {
  const AlignmentScope empty{.views = {},
                             .pulls = {},
                             .patient = true,
                             .unheld = std::make_shared<std::set<nostr::EventId>>()};
  std::deque<AlignmentScope> all{empty};
  for (const Coordinate& view : policy.catalog().views(identifier)) {
    if (!policy.is_open(view)) continue;
    if (all.back().views.size() >= views_at_once) all.push_back(empty);
    all.back().views.push_back(view);
  }
  if (policy.purgatory().pull_count(identifier) > 0) all.push_back(empty);
  for (const nostr::EventId& id : policy.purgatory().pulls(identifier)) {
    if (all.back().pulls.size() >= kPullsPerSlice) all.push_back(empty);
    all.back().pulls.push_back({id});
  }
  return all;
}

void leave_out_others(const PolicySnapshot& policy, AlignmentScope& scope) {
  if (!scope.ruled_by) return;
  std::erase_if(scope.views, [&](const Coordinate& view) {
    const auto& authority = policy.catalog().authority(view);
    return std::ranges::none_of(*scope.ruled_by,
                                [&](const auto& key) { return authority.contains(key); });
  });
}

std::vector<Coordinate> ruled_alike(const PolicySnapshot& policy, const grasp::RepoState& state,
                                    std::size_t max) {
  const auto& identifier = state.identifier;
  std::vector<Coordinate> alike;
  const auto likely =
      likely_first(policy, state.author, policy.catalog().views_ruled_by(state.author, identifier));
  for (const Coordinate& view :
       std::span(likely).first(std::min(likely.size(), kAskedPerFound * max))) {
    if (alike.size() >= max) break;
    const auto ruling = policy.ruling(view);
    if (ruling && ruling->version.id == state.id) alike.push_back(view);
  }
  return alike;
}

PullViews views_by_nearness(const PolicySnapshot& policy, const grasp::PullRequest& pull) {
  PullViews all{policy.views_of(pull), 0};
  const auto is_named = [&](const Coordinate& view) { return contains(pull.repositories, view); };
  const auto is_of_their_people = [&](const Coordinate& view) {
    return std::ranges::any_of(pull.repositories, [&](const Coordinate& named) {
      return named.identifier == view.identifier &&
             policy.catalog().authority(named).contains(view.owner);
    });
  };
  const auto others = std::ranges::stable_partition(all.views, is_named);
  const auto strangers = std::ranges::stable_partition(others, is_of_their_people);
  all.near = all.views.size() - strangers.size();
  return all;
}

}  // namespace graspd::serve
