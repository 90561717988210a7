#include "grasp/expired_ids.h"

namespace graspd::grasp {

void ExpiredIds::put(const nostr::EventId& id, core::UnixSeconds when) {
  erase(id);
  all_.insert_or_assign(id, when);
  by_time_.insert({when, id});
}

void ExpiredIds::erase(nostr::EventId id) {
  const core::UnixSeconds* when = all_.find(id);
  if (!when) return;
  by_time_.erase(std::pair(*when, id));
  all_.erase(id);
}

const std::pair<core::UnixSeconds, nostr::EventId>* ExpiredIds::oldest() const {
  return by_time_.empty() ? nullptr : &*by_time_.begin();
}

}  // namespace graspd::grasp
