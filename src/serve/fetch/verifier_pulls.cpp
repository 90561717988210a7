// Pull requests that are served: whether a repository has their refs and their commits.
#include <algorithm>

#include "core/log.h"
#include "gitio/repository.h"
#include "grasp/carried_pulls.h"
#include "net/clock.h"
#include "serve/fetch/verifier.h"
#include "serve/host/pull_refs.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PullRequest;

// Of one repository: about a tenth of a second.
constexpr std::size_t kPullsLookedAt = 4'096;

}  // namespace

Verifier::Pulls Verifier::carried(const Coordinate& coordinate) const {
  const grasp::Authority authority = host_.hosting().known()->catalog().authority(coordinate);
  const auto here = store_.snapshot();
  if (!here) return {};
  auto pulls =
      grasp::carried_pulls(coordinate, authority, **here, net::now().unix_seconds, kPullsLookedAt);
  if (pulls) return wanted(coordinate, *std::move(pulls));
  core::log::warn("git: the pull requests of {} are not known", coordinate.path());
  return {};
}

// Those that are to have refs.
Verifier::Pulls Verifier::wanted(const Coordinate& coordinate, Pulls pulls) const {
  std::vector<const PullRequest*> all;
  for (const PullRequest& pull : pulls) all.push_back(&pull);
  const auto unwanted = PullRefs(host_.hosting(), coordinate).unwanted(all);
  std::erase_if(pulls, [&](const PullRequest& pull) { return unwanted.contains(pull.id); });
  return pulls;
}

// Those whose refs are not where they belong.
Verifier::Pulls Verifier::astray(const Coordinate& coordinate, Pulls pulls) const {
  constexpr git::RefName::Space kPullSpace[] = {git::RefName::Space::Nostr};
  const auto repository = gitio::Repository::open(host_.hosting().path(coordinate));
  const auto refs = repository ? repository->refs(kPullSpace) : git::Refs();
  if (!refs) return {};
  std::erase_if(pulls, [&](const PullRequest& pull) {
    const auto at = refs->find(pull_ref(pull.id));
    return at != refs->end() && at->second == *pull.commit;
  });
  return pulls;
}

// Not all may be asked for at once: those whose commits are gone come first.
Verifier::Pulls Verifier::damaged(const Coordinate& coordinate, const Seen& seen,
                                  Pulls pulls) const {
  if (!seen.has_lost_objects()) return astray(coordinate, std::move(pulls));
  const auto repository = gitio::Repository::open(host_.hosting().path(coordinate));
  std::ranges::stable_partition(pulls, [&](const PullRequest& pull) {
    return !repository || !repository->has(*pull.commit);
  });
  return pulls;
}

}  // namespace graspd::serve
