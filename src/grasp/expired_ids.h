// The ids of what waited in vain (R3 of grasp/purgatory.h).
//
//   R1  Remembered for a while, and bounded in number: the oldest go first, so whoever makes much
//       expire does not displace what others have just given up.
#pragma once
#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/time.h"
#include "nostr/event.h"

namespace graspd::grasp {

class ExpiredIds {
 public:
  void put(const nostr::EventId& id, core::UnixSeconds when);
  void erase(nostr::EventId id);
  bool contains(const nostr::EventId& id) const { return all_.contains(id); }
  std::size_t size() const { return all_.size(); }
  // The oldest and when it was put; nullptr when there is none.
  const std::pair<core::UnixSeconds, nostr::EventId>* oldest() const;
  const core::PersistentMap<nostr::EventId, core::UnixSeconds>& all() const { return all_; }

 private:
  core::PersistentMap<nostr::EventId, core::UnixSeconds> all_;
  core::PersistentSet<std::pair<core::UnixSeconds, nostr::EventId>> by_time_;
};

}  // namespace graspd::grasp
