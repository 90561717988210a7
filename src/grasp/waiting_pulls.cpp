#include "grasp/waiting_pulls.h"

#include <algorithm>
#include <iterator>

namespace graspd::grasp {

std::vector<nostr::EventId> WaitingPulls::of(const Identifier& identifier, std::size_t max) const {
  const auto* ids = by_identifier_.find(identifier);
  if (!ids) return {};
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, ids->size()));
  return {ids->begin(), std::next(ids->begin(), count)};
}

std::size_t WaitingPulls::count(const Identifier& identifier) const {
  const auto* ids = by_identifier_.find(identifier);
  return ids ? ids->size() : 0;
}

std::vector<Identifier> WaitingPulls::identifiers() const {
  std::vector<Identifier> all;
  for (const auto& [identifier, ids] : by_identifier_) all.push_back(identifier);
  return all;
}

void WaitingPulls::put(HeldPull held) {
  for (const Coordinate& repository : held.pull.repositories)
    by_identifier_[repository.identifier].insert(held.pull.id);
  const nostr::EventId id = held.pull.id;
  shelf_.put(id, std::move(held));
}

void WaitingPulls::erase(const nostr::EventId& id) {
  const HeldPull* held = find(id);
  if (!held) return;
  for (const Coordinate& repository : held->pull.repositories) {
    auto& ids = by_identifier_[repository.identifier];
    ids.erase(id);
    if (ids.empty()) by_identifier_.erase(repository.identifier);
  }
  shelf_.erase(id);
}

}  // namespace graspd::grasp
