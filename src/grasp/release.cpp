// Rule numbers are those of grasp/policy.h.
#include "grasp/release.h"

#include <algorithm>

#include "grasp/decisions.h"
#include "grasp/purgatory_note.h"
#include "grasp/related.h"

namespace graspd::grasp {
namespace {

std::string note_key(const nostr::Event& event) {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement && key) return note::announcement_key(*key);
  if (event.kind == kinds::kState && key) return note::state_key(*key);
  return note::pull_key(event.id);
}

// What git was given for it goes too.
void not_released(PolicyState& state, const nostr::Event& event, Transition& changes) {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement && key) changes.add(RemoveRepository{*key});
  if (const HeldPull* held = state.purgatory.pull(event.id))
    changes.add(DropPullRefs::of(held->pull));
  state.give_up(event, changes);
}

// While it was being stored, its author may have sent a newer version, or moved away.
void released_announcement(PolicyState& state, const nostr::Event& event, Transition& changes) {
  const auto key = key_of(event);
  const Listing* known = key ? state.catalog.find(*key) : nullptr;
  const nostr::Version version{event.created_at, event.id};
  if (key && !known && state.newest_announcements.is_past(*key, version)) {
    changes.add(store::Remove{event.id});
    return;
  }
  if (!known || !nostr::wins(known->version(), version)) return state.apply_stored(event, changes);
  Listing newer = *known;
  newer.place = Place::Served;  // and due to be stored
  state.catalog.put(std::move(newer));
  if (const Held* held = state.purgatory.announcement(*key)) changes.add(Retry{held->event, {}});
}

}  // namespace

void apply_written(PolicyState& state, const nostr::WireEventPtr& wire, store::Outcome outcome,
                   const Origin& origin, core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  if (outcome != store::Outcome::Stored) {
    state.forget_pooled(event.id, changes);
    return state.rejections.remember(wire, origin, reason_of(outcome), now, changes);
  }
  state.apply_stored(event, changes);
  if (event.kind == nostr::kinds::kDeletion || event.kind == nostr::kinds::kVanish)
    apply_deletion(state, event, now, changes);
  state.rejections.call(calls_of(event));
  state.rejections.answer_calls(changes);
}

// Of a coordinate another version may be held by now: its note stays.
std::vector<store::Note> notes_of_release(const PolicyState& state, const store::Snapshot& here,
                                          const nostr::Event& event) {
  std::vector<store::Note> notes = history::succession(here, event);
  const Held* held = state.held_like(event);
  if (held && held->event->event.id == event.id) notes.push_back({note_key(event), std::nullopt});
  return notes;
}

void released(PolicyState& state, const store::Snapshot& here, const nostr::WireEventPtr& wire,
              store::Outcome outcome, Transition& changes) {
  const nostr::Event& event = wire->event;
  const bool taken = outcome == store::Outcome::Stored || outcome == store::Outcome::Duplicate;
  // It may have been deleted since.
  if (!taken || !here.contains(event.id)) return not_released(state, event, changes);
  if (event.kind == kinds::kAnnouncement) released_announcement(state, event, changes);
  if (event.kind == kinds::kState) state.apply_stored(event, changes);
  if (event.kind == kinds::kPullRequest || event.kind == kinds::kPullRequestUpdate)
    state.expirations.stored(event, parse_pull_request(event).repositories, changes);
  state.purgatory.drop_pull(event.id, changes);
  state.purgatory.note_again(event, changes);
  state.rejections.call(calls_of(event));
  state.rejections.answer_calls(changes);
}

}  // namespace graspd::grasp
