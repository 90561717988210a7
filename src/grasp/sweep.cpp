// Rule numbers are those of grasp/policy.h.
#include "grasp/sweep.h"

#include <algorithm>

#include "core/log.h"
#include "grasp/withdrawal.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {

void tell_expired(const nostr::Event& event) {
  const auto repository = event.tags.first("d").value_or(event.tags.first("a").value_or(""));
  core::log::warn(
      "[PURGATORY_EXPIRED] repo={} npub={} event_id={} kind={} reason=\"git data not received\"",
      repository, nostr::nip19::npub(event.pubkey), event.id.hex(), event.kind.value);
}

// What expired while nobody was here is not in the catalog: its data is.
void expire_announcement(PolicyState& state, const Expiring& over, const store::Snapshot& here,
                         core::UnixSeconds now, Transition& changes) {
  const Coordinate key = over.repositories.front();
  const Listing* listing = state.catalog.find(key);
  if (listing && listing->announcement.id != over.id) return;
  state.raise_newest_seen(key, {over.created_at, over.id}, Place::Served, now, changes);
  history::forget(here, kinds::kAnnouncement, key, changes);
  if (!listing)
    return state.removals.schedule(key, now + state.rules().options().removal_grace, changes);
  state.forget_announcement(key, now, changes);
}

void expire_state(PolicyState& state, const Expiring& over, const store::Snapshot& here,
                  core::UnixSeconds now, Transition& changes) {
  const Coordinate key = over.repositories.front();
  const auto served = state.catalog.state_of(key.owner, key.identifier);
  if (served && served->id != over.id) return;
  state.raise_newest_state(key, {over.created_at, over.id}, now, changes);
  history::forget(here, kinds::kState, key, changes);
  state.forget_served_state(key, changes);
  for (const Coordinate& repo : left_unsigned(state.catalog, key.owner, key.identifier))
    withdraw(state, repo, here, now, changes);
}

void expire_served(PolicyState& state, const store::Snapshot& here, core::UnixSeconds now,
                   Transition& changes) {
  for (const Expiring& over : state.expirations.take_due(now, changes)) {
    changes.add(store::Remove{over.id});
    if (over.kind == kinds::kAnnouncement) {
      expire_announcement(state, over, here, now, changes);
    } else if (over.kind == kinds::kState) {
      expire_state(state, over, here, now, changes);
    } else {
      DropPullRefs drop{over.id, over.author, {}};
      for (const Coordinate& repository : over.repositories) drop.in.insert(repository.identifier);
      changes.add(std::move(drop));
    }
  }
}

// Announcements that wait no longer but were not stored: a crash or a full backlog came between.
// Of guests, about which much has to be asked, some at a time.
void retry_due(PolicyState& state, Transition& changes) {
  std::vector<Coordinate> guests;
  const auto retry_if_due = [&](const Coordinate& key) {
    if (state.is_due(*state.catalog.find(key)))
      changes.add(Retry{state.purgatory.announcement(key)->event, {}});
  };
  for (const Coordinate& key : state.purgatory.announcements().keys())
    state.catalog.is_waiting_guest(key) ? guests.push_back(key) : retry_if_due(key);
  for (std::size_t i = 0; i < std::min(guests.size(), PolicyState::kGuestsMax); ++i)
    retry_if_due(guests[state.next_guest++ % guests.size()]);
}

}  // namespace

void sweep(PolicyState& state, const store::Snapshot& here, core::UnixSeconds now,
           Transition& changes) {
  state.rejections.expire(now, changes);
  expire_served(state, here, now, changes);
  state.requests.sweep(here, now, changes);
  Purgatory::Expiry expiry = state.purgatory.expire(now, changes);
  for (const Coordinate& key : expiry.asleep)  // unless its data has a term of its own
    if (state.catalog.is_hosted(key) && !state.removals.contains(key))
      changes.add(RemoveRepository{key, RemoveRepository::Why::NoData});
  for (const Coordinate& key : expiry.announcements) {
    state.catalog.erase(key);
    changes.add(AlignGroup{key.identifier});
  }
  for (const Identifier& identifier : expiry.stateless)  // another state may rule now
    changes.add(AlignGroup{identifier});
  for (const nostr::WireEventPtr& wire : expiry.events) {
    tell_expired(wire->event);
    state.call_end(wire->event);
    state.rejections.ids().add(wire->event, Reason::Abandoned, nullptr, {}, now, changes);
  }
  for (const Upload& upload : expiry.uploads) changes.add(DiscardUpload{upload.token});
  for (const Coordinate& key : state.removals.take_due(now, changes))
    changes.add(RemoveRepository{key});
  const auto is_back = [&](const Coordinate& key) { return state.catalog.find(key) != nullptr; };
  for (const Coordinate& key : state.threads.take_due(now, is_back))
    changes.add(ForgetThreads{key});
  retry_due(state, changes);
  state.rejections.answer_calls(changes);
}

}  // namespace graspd::grasp
