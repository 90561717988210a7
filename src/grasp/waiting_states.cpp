#include "grasp/waiting_states.h"

namespace graspd::grasp {

// Keys lie by identifier, then owner.
std::vector<const HeldState*> WaitingStates::of(const Identifier& identifier) const {
  std::vector<const HeldState*> found;
  const auto& all = shelf_.entries();
  for (auto at = all.lower_bound(Coordinate{nostr::PublicKey(), identifier});
       at != all.end() && at->first.identifier == identifier; ++at)
    found.push_back(&at->second);
  return found;
}

std::optional<nostr::Version> WaitingStates::newest(
    const Identifier& identifier, const std::set<nostr::PublicKey>& members) const {
  const NewestStates* all = by_identifier_.find(identifier);
  return all ? all->newest_of(members) : std::nullopt;
}

void WaitingStates::put(const Coordinate& key, HeldState held) {
  by_identifier_[key.identifier].put(key.owner, {held.state.created_at, held.state.id});
  shelf_.put(key, std::move(held));
}

void WaitingStates::erase(const Coordinate& key) {
  if (!find(key)) return;
  NewestStates& all = by_identifier_[key.identifier];
  all.erase(key.owner);
  if (all.empty()) by_identifier_.erase(key.identifier);
  shelf_.erase(key);
}

}  // namespace graspd::grasp
