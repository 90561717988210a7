// Pull requests that wait for git data, by id and by the identifiers they name.
#pragma once
#include <limits>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/held.h"
#include "grasp/shelf.h"

namespace graspd::grasp {

class WaitingPulls {
 public:
  const HeldPull* find(const nostr::EventId& id) const { return shelf_.find(id); }
  std::vector<nostr::EventId> of(const Identifier& identifier,
                                 std::size_t max = std::numeric_limits<std::size_t>::max()) const;
  std::size_t count(const Identifier& identifier) const;
  std::vector<Identifier> identifiers() const;
  std::vector<nostr::EventId> by(const nostr::PublicKey& author) const { return shelf_.by(author); }
  const Shelf<nostr::EventId, HeldPull>& shelf() const { return shelf_; }

  void put(HeldPull held);
  void erase(const nostr::EventId& id);
  template <class Change>
  const HeldPull* change(const nostr::EventId& id, const Change& change) {
    return shelf_.change(id, change);
  }

 private:
  Shelf<nostr::EventId, HeldPull> shelf_;
  core::PersistentMap<Identifier, core::PersistentSet<nostr::EventId>> by_identifier_;
};

}  // namespace graspd::grasp
