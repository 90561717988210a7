#include "grasp/rejections.h"

#include "grasp/related.h"

namespace graspd::grasp {
namespace {

// What would let it in: something it lacks, or the end of what is newer and may never be served.
std::vector<std::string> recalls_of(const nostr::Event& event, Reason reason) {
  if (reason == Reason::Lacking) return lacks_of(event);
  const auto address = reason == Reason::Superseded ? nostr::address_of(event) : std::nullopt;
  if (!address) return {};
  return {waits_for_end(*address)};
}

}  // namespace

void Rejections::remember(const nostr::WireEventPtr& wire, const Origin& origin, Reason reason,
                          core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  if (reason == Reason::Passing) return;
  if (reason == Reason::Lacking)
    orphans_.admit({wire, origin, now, lacks_of(event)}, changes);
  else
    orphans_.leave(event.id, changes);
  if (reason == Reason::None) return ids_.erase(event.id, changes);
  if (origin.synced)
    ids_.add(event, reason, origin.relay.get(), recalls_of(event, reason), now, changes);
}

void Rejections::call(const std::string& key) {
  orphans_.call(key);
  ids_.call(key);
}

void Rejections::call(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) call(key);
}

void Rejections::answer_calls(Transition& changes) {
  for (RejectedIds::Forgotten& id : ids_.forget_called(kForgottenMax, changes)) {
    const std::size_t type = event_type(id.kind);
    ++meter_.invalidated[type];
    if (orphans_.contains(id.id)) {
      if (orphans_.is_waiting(id.id)) orphans_.call_again(id.id);
    } else {
      ++meter_.hot_misses[type];
      if (id.relay) changes.add(AskAgain{*std::move(id.relay), id.id});
    }
  }
  for (Retry& retry : orphans_.take_called(kRetriesMax)) {
    ++meter_.hot_hits[event_type(retry.event->event.kind)];
    changes.add(std::move(retry));
  }
}

void Rejections::expire(core::UnixSeconds now, Transition& changes) {
  orphans_.expire(now, changes);
  ids_.expire(now, changes);
}

RejectedMeter Rejections::meter() const {
  RejectedMeter meter = meter_;
  meter.hot_current = orphans_.current();
  meter.hot_expired = orphans_.expired();
  meter.cold_current = ids_.current();
  meter.cold_expired = ids_.expired();
  return meter;
}

}  // namespace graspd::grasp
