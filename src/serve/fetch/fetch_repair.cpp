#include "serve/fetch/fetch_repair.h"

#include <algorithm>

#include "serve/fetch/fetch_survey.h"

namespace graspd::serve {
namespace {

using namespace git::fetch;
using grasp::Coordinate;

EventKey pull_repair_key(const RepoKey& repo, const nostr::EventId& pull) {
  return {repair_key(repo).value + " " + pull.hex()};
}

}  // namespace

EventKey repair_key(const RepoKey& repo) { return {"repair " + repo.value}; }

std::vector<RepairOrder> repair_orders(const grasp::PolicySnapshot& policy,
                                       const Coordinate& coordinate, const Damage& damage,
                                       const grasp::Service& own) {
  const RepoKey repo{coordinate.path()};
  const auto announced = fetch_sources_of(policy, coordinate, own);
  std::vector<RepairOrder> orders;
  if (!damage.tips.empty())
    orders.push_back(
        {{repo, repair_key(repo), Reason::Repair, damage.tips, announced, true}, std::nullopt});
  std::size_t pulls = 0;
  for (const grasp::PullRequest& pull : damage.pulls) {
    if (!pull.commit || pulls == kPullRepairsMax) continue;
    auto sources = fetch_sources_of(pull.clone, {}, own);
    if (!std::ranges::binary_search(damage.tips, *pull.commit))  // R3
      sources.insert(sources.end(), announced.begin(), announced.end());
    if (sources.empty()) continue;
    ++pulls;
    orders.push_back({{repo,
                       pull_repair_key(repo, pull.id),
                       Reason::PullRepair,
                       {*pull.commit},
                       std::move(sources),
                       true},
                      pull.id});
  }
  return orders;
}

}  // namespace graspd::serve
