// States that wait for git data: of each author the newest per identifier.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "grasp/coordinate.h"
#include "grasp/held.h"
#include "grasp/newest_states.h"
#include "grasp/shelf.h"

namespace graspd::grasp {

class WaitingStates {
 public:
  const HeldState* find(const Coordinate& key) const { return shelf_.find(key); }
  std::vector<const HeldState*> of(const Identifier& identifier) const;
  bool has(const Identifier& identifier) const { return by_identifier_.contains(identifier); }
  std::optional<nostr::Version> newest(const Identifier& identifier,
                                       const std::set<nostr::PublicKey>& members) const;
  std::vector<Coordinate> by(const nostr::PublicKey& author) const { return shelf_.by(author); }
  const Shelf<Coordinate, HeldState>& shelf() const { return shelf_; }

  void put(const Coordinate& key, HeldState held);
  void erase(const Coordinate& key);
  template <class Change>
  const HeldState* change(const Coordinate& key, const Change& change) {
    return shelf_.change(key, change);
  }

 private:
  Shelf<Coordinate, HeldState> shelf_;
  core::PersistentMap<Identifier, NewestStates> by_identifier_;
};

}  // namespace graspd::grasp
