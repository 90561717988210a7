// What becomes of events after the decision: released, given up, or never written.
#include <algorithm>

#include "core/log.h"
#include "grasp/policy.h"
#include "grasp/purgatory_note.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {

std::optional<Coordinate> key_of(const nostr::Event& event) {
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (!identifier) return std::nullopt;
  return Coordinate{event.pubkey, *identifier};
}

std::string note_key(const nostr::Event& event) {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement && key) return note::announcement_key(*key);
  if (event.kind == kinds::kState && key) return note::state_key(*key);
  return note::pull_key(event.id);
}

}  // namespace

// Of a coordinate another version may be held by now: its note stays.
std::vector<store::Note> Policy::notes_of_release(const nostr::Event& event) const {
  std::vector<store::Note> notes;
  if (const auto here = store_.snapshot()) notes = history::succession(**here, event);
  const Held* held = held_like(event);
  if (held && held->event->event.id == event.id) notes.push_back({note_key(event), std::nullopt});
  return notes;
}

const Held* Policy::held_like(const nostr::Event& event) const {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement) return key ? purgatory_.announcement(*key) : nullptr;
  if (event.kind == kinds::kState) return key ? purgatory_.state(*key) : nullptr;
  return purgatory_.pull(event.id);
}

void Policy::released(const nostr::WireEventPtr& wire, store::Outcome outcome,
                      Transition& changes) {
  const nostr::Event& event = wire->event;
  const bool taken = outcome == store::Outcome::Stored || outcome == store::Outcome::Duplicate;
  // It may have been deleted since.
  if (!taken || !is_stored(event.id)) return not_released(event, changes);
  if (event.kind == kinds::kAnnouncement) released_announcement(event, changes);
  if (event.kind == kinds::kState) stored_state(event, changes);
  if (event.kind == kinds::kPullRequest || event.kind == kinds::kPullRequestUpdate)
    expirations_.stored(event, parse_pull_request(event).repositories, changes);
  purgatory_.drop_pull(event.id, changes);
  purgatory_.note_again(event, changes);
  call(calls_of(event));
  answer_calls(changes);
}

// What git was given for it goes too.
void Policy::not_released(const nostr::Event& event, Transition& changes) {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement && key) changes.add(RemoveRepository{*key});
  if (const HeldPull* held = purgatory_.pull(event.id)) changes.add(DropPullRefs::of(held->pull));
  give_up(event, changes);
}

// While it was being stored, its author may have sent a newer version, or moved away.
void Policy::released_announcement(const nostr::Event& event, Transition& changes) {
  const auto key = key_of(event);
  const Listing* known = key ? catalog_.find(*key) : nullptr;
  const auto newest_seen = key ? newest_seen_.find(*key) : newest_seen_.end();
  const nostr::Version version{event.created_at, event.id};
  if (newest_seen != newest_seen_.end() && !known && nostr::wins(newest_seen->second, version)) {
    changes.add(store::Remove{event.id});
    return;
  }
  if (!known || !nostr::wins(known->version(), version)) return stored_announcement(event, changes);
  Listing newer = *known;
  newer.place = Place::Served;  // and due to be stored
  catalog_.put(std::move(newer));
  if (const Held* held = purgatory_.announcement(*key)) changes.add(Retry{held->event, {}});
}

// Nothing waits for an event that the store does not take.
void Policy::give_up(const nostr::Event& event, Transition& changes) {
  const Held* held = held_like(event);
  if (!held || held->event->event.id != event.id) return;
  purgatory_.drop_pull(event.id, changes);
  const auto key = key_of(event);
  if (event.kind == kinds::kState) purgatory_.drop_state(*key, changes);
  if (event.kind != kinds::kAnnouncement) return;
  purgatory_.drop_announcement(*key, changes);
  const Listing* listing = catalog_.find(*key);
  if (listing && listing->place == Place::Waiting) catalog_.erase(*key);
}

// What was held in memory only goes, and what it had replaced there is as the store has it.
void Policy::write_failed(const nostr::Event& event, Transition& changes) {
  Transition unwritten;
  give_up(event, unwritten);
  forget_pooled(event.id, unwritten);
  const auto here = store_.snapshot();
  const std::string key = note_key(event);
  const auto restore = [&](std::string_view name, std::string_view value) {
    if (name == key) purgatory_.restore(name, value);
  };
  if (here && (*here)->notes(key, restore)) list_waiting();
  const auto asked = nostr::requested_deletions(event).ids;
  changes.erase_if([&](const Change& change) {
    const auto* drop = std::get_if<DropPullRefs>(&change);
    return drop && std::ranges::find(asked, drop->pull) != asked.end();
  });
}

void Policy::expire(core::UnixSeconds now, Transition& changes) {
  changes.append(std::exchange(owed_, {}));
  orphans_.expire(now, changes);
  rejected_.expire(now, changes);
  expire_served(now, changes);
  Purgatory::Expiry expiry = purgatory_.expire(now, changes);
  for (const Coordinate& key : expiry.asleep)
    if (catalog_.is_view(key)) changes.add(RemoveRepository{key, RemoveRepository::Why::NoData});
  for (const Coordinate& key : expiry.announcements) {
    catalog_.erase(key);
    changes.add(AlignGroup{key.identifier});
  }
  for (const Identifier& identifier : expiry.stateless)  // another state may rule now
    changes.add(AlignGroup{identifier});
  for (const nostr::WireEventPtr& wire : expiry.events) {
    tell_expired(wire->event);
    call_end(wire->event);
    rejected_.add(wire->event, Reason::Abandoned, nullptr, {}, now, changes);
  }
  for (const Upload& upload : expiry.uploads) changes.add(DiscardUpload{upload.token});
  expire_scheduled_removals(now, changes);
  expire_threads(now, changes);
  retry_due(changes);
  answer_calls(changes);
}

void Policy::tell_expired(const nostr::Event& event) const {
  const auto repository = event.tags.first("d").value_or(event.tags.first("a").value_or(""));
  core::log::warn(
      "[PURGATORY_EXPIRED] repo={} npub={} event_id={} kind={} reason=\"git data not received\"",
      repository, nostr::nip19::npub(event.pubkey), event.id.hex(), event.kind.value);
}

void Policy::expire_served(core::UnixSeconds now, Transition& changes) {
  for (const Expiring& over : expirations_.take_due(now, changes)) {
    changes.add(store::Remove{over.id});
    if (over.kind == kinds::kAnnouncement) {
      expire_announcement(over, now, changes);
    } else if (over.kind == kinds::kState) {
      expire_state(over, now, changes);
    } else {
      DropPullRefs drop{over.id, over.author, {}};
      for (const Coordinate& repository : over.repositories) drop.in.insert(repository.identifier);
      changes.add(std::move(drop));
    }
  }
}

// What expired while nobody was here is not in the catalog: its data is.
void Policy::expire_announcement(const Expiring& over, core::UnixSeconds now, Transition& changes) {
  const Coordinate key = over.repositories.front();
  const Listing* listing = catalog_.find(key);
  if (listing && listing->announcement.id != over.id) return;
  raise_newest_seen(key, {over.created_at, over.id}, Place::Served, now, changes);
  forget_history(kinds::kAnnouncement, key, changes);
  if (!listing) return schedule_removal(key, now + options_.removal_grace, changes);
  forget_announcement(key, now, changes);
}

void Policy::expire_state(const Expiring& over, core::UnixSeconds now, Transition& changes) {
  const Coordinate key = over.repositories.front();
  const auto served = catalog_.state_of(key.owner, key.identifier);
  if (served && served->id != over.id) return;
  raise_newest_state(key, {over.created_at, over.id}, now, changes);
  forget_history(kinds::kState, key, changes);
  forget_served_state(key, changes);
}

void Policy::expire_scheduled_removals(core::UnixSeconds now, Transition& changes) {
  std::erase_if(scheduled_removals_, [&](const auto& entry) {
    if (entry.second > now) return false;
    changes.add(RemoveRepository{entry.first});
    changes.put_note(removal_note(entry.first, std::nullopt));
    return true;
  });
}

// Announcements that wait no longer but were not stored: a crash or a full backlog came between.
// Of guests, about which much has to be asked, some at a time.
void Policy::retry_due(Transition& changes) {
  std::vector<Coordinate> guests;
  const auto retry_if_due = [&](const Coordinate& key) {
    if (is_due(*catalog_.find(key))) changes.add(Retry{purgatory_.announcement(key)->event, {}});
  };
  for (const Coordinate& key : purgatory_.announcements())
    catalog_.is_waiting_guest(key) ? guests.push_back(key) : retry_if_due(key);
  for (std::size_t i = 0; i < std::min(guests.size(), kGuestsMax); ++i)
    retry_if_due(guests[next_guest_++ % guests.size()]);
}

}  // namespace graspd::grasp
