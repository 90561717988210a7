// What those who host ask.
#include "grasp/policy_snapshot.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace graspd::grasp {

bool PolicySnapshot::is_open(const Coordinate& repo) const {
  if (!catalog().is_hosted(repo)) return false;
  const Held* waiting = purgatory().announcement(repo);
  return !waiting || !waiting->asleep;
}

bool PolicySnapshot::is_served(const Coordinate& coordinate) const {
  const Listing* listing = catalog().find(coordinate);
  return listing && listing->place == Place::Served;
}

std::vector<Coordinate> PolicySnapshot::departed(const Identifier& identifier) const {
  std::vector<Coordinate> all;
  const auto& terms = state_.threads.terms();
  for (auto at = terms.lower_bound(Coordinate{nostr::PublicKey(), identifier});
       at != terms.end() && at->first.identifier == identifier; ++at)
    if (!catalog().find(at->first)) all.push_back(at->first);
  return all;
}

std::vector<Coordinate> PolicySnapshot::repos_of(const PullRequest& pull) const {
  std::set<Coordinate> carrying;
  const auto add = [&](const Coordinate& repo) {
    if (catalog().is_hosted(repo) && is_served(repo)) carrying.insert(repo);
  };
  for (const Coordinate& named : pull.repositories) {
    add(named);
    std::ranges::for_each(catalog().repos_ruled_by(named.owner, named.identifier), add);
  }
  return {carrying.begin(), carrying.end()};
}

bool PolicySnapshot::knows(const nostr::EventId& id) const {
  if (orphan_pool().contains(id)) return orphan_pool().is_waiting(id);
  return purgatory().space().contains(id) || purgatory().expired().contains(id) ||
         rejected().contains(id);
}

std::vector<nostr::WireEventPtr> PolicySnapshot::kept_events() const {
  auto all = purgatory().events();
  auto waiting = orphan_pool().events();
  all.insert(all.end(), std::move_iterator(waiting.begin()), std::move_iterator(waiting.end()));
  return all;
}

void PolicySnapshot::resume_threads(Transition& changes) const {
  for (const auto& [coordinate, term] : state_.threads.terms()) {
    if (is_served(coordinate))
      changes.add(RestoreThreads{coordinate});
    else
      changes.add(ArchiveThreads{{coordinate, term.announcement}});
  }
}

}  // namespace graspd::grasp
