#include "serve/fetch/served_pulls.h"

#include <algorithm>

#include "core/log.h"
#include "gitio/repository.h"
#include "grasp/carried_pulls.h"
#include "net/clock.h"
#include "serve/host/pull_refs.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PullRequest;

// Of one repository: about a tenth of a second.
constexpr std::size_t kPullsLookedAt = 4'096;

}  // namespace

ServedPulls::Pulls ServedPulls::of(const Coordinate& coordinate) const {
  const grasp::Authority authority = hosting_.known()->catalog().authority(coordinate);
  const auto here = hosting_.store.snapshot();
  if (!here) return {};
  auto pulls =
      grasp::carried_pulls(coordinate, authority, **here, net::now().unix_seconds, kPullsLookedAt);
  if (pulls) return wanted(coordinate, *std::move(pulls));
  core::log::warn("git: the pull requests of {} are not known", coordinate.path());
  return {};
}

ServedPulls::Pulls ServedPulls::wanted(const Coordinate& coordinate, Pulls pulls) const {
  std::vector<const PullRequest*> all;
  for (const PullRequest& pull : pulls) all.push_back(&pull);
  const auto unwanted = PullRefs(hosting_, coordinate).unwanted(all);
  std::erase_if(pulls, [&](const PullRequest& pull) { return unwanted.contains(pull.id); });
  return pulls;
}

ServedPulls::Pulls ServedPulls::astray(const Coordinate& coordinate, Pulls pulls) const {
  constexpr git::RefName::Space kPullSpace[] = {git::RefName::Space::Nostr};
  const auto repository = gitio::Repository::open(hosting_.path(coordinate));
  const auto refs = repository ? repository->refs(kPullSpace) : git::Refs();
  if (!refs) return {};
  std::erase_if(pulls, [&](const PullRequest& pull) {
    const auto at = refs->find(pull_ref(pull.id));
    return at != refs->end() && at->second == *pull.commit;
  });
  return pulls;
}

ServedPulls::Pulls ServedPulls::lost_first(const Coordinate& coordinate, Pulls pulls) const {
  const auto repository = gitio::Repository::open(hosting_.path(coordinate));
  std::ranges::stable_partition(pulls, [&](const PullRequest& pull) {
    return !repository || !repository->has(*pull.commit);
  });
  return pulls;
}

}  // namespace graspd::serve
