#include "grasp/purgatory.h"

#include <algorithm>

#include "grasp/purgatory_note.h"

namespace graspd::grasp {
namespace {

core::UnixSeconds before_it_expires(const nostr::Event& event, core::UnixSeconds deadline) {
  return std::min(deadline, nostr::expiration(event).value_or(deadline));
}

}  // namespace

// Who sleeps has had the time that was theirs.
std::vector<nostr::WireEventPtr> Purgatory::held_by(const nostr::PublicKey& author) const {
  std::vector<const Held*> held;
  for (const Key& key : announcements_.by(author)) held.push_back(announcement(key));
  for (const Key& key : states_.by(author)) held.push_back(state(key));
  for (const nostr::EventId& id : pulls_.by(author)) held.push_back(pull(id));
  const auto goes_sooner = [](const Held* a, const Held* b) {
    return std::pair(!a->asleep, a->expires) < std::pair(!b->asleep, b->expires);
  };
  std::ranges::stable_sort(held, goes_sooner);
  std::vector<nostr::WireEventPtr> events;
  for (const Held* one : held) events.push_back(one->event);
  return events;
}

void Purgatory::hold_announcement(const Key& key, Held held, Transition& changes) {
  held.expires = before_it_expires(held.event->event, held.expires);
  if (const Held* before = announcement(key)) space_.remove(*before);
  space_.add(held);
  announcements_.put(key, std::move(held));
  changes.put_note({note::announcement_key(key), note::text(*announcement(key))});
}

void Purgatory::hold_state(HeldState held, Transition& changes) {
  held.expires = before_it_expires(held.event->event, held.expires);
  const Key key{held.state.author, held.state.identifier};
  if (const HeldState* before = state(key)) space_.remove(*before);
  space_.add(held);
  changes.put_note({note::state_key(key), note::text(held)});
  states_.put(key, std::move(held));
}

void Purgatory::hold_pull(HeldPull held, Transition& changes) {
  const nostr::EventId id = held.pull.id;
  if (pull(id)) return;
  held.expires = before_it_expires(held.event->event, held.expires);
  space_.add(held);
  changes.put_note({note::pull_key(id), note::text(held)});
  pulls_.put(std::move(held));
}

const HeldState* Purgatory::state(const nostr::EventId& id, const Identifier& identifier) const {
  const nostr::PublicKey* author = space_.author_of(id);
  const HeldState* held = author ? state({*author, identifier}) : nullptr;
  return held && held->state.id == id ? held : nullptr;
}

std::vector<nostr::WireEventPtr> Purgatory::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(size());
  for (const auto& [key, held] : announcements_.shelf().entries()) all.push_back(held.event);
  for (const auto& [key, held] : states_.shelf().entries()) all.push_back(held.event);
  for (const auto& [id, held] : pulls_.shelf().entries()) all.push_back(held.event);
  return all;
}

std::set<Identifier> Purgatory::identifiers() const {
  std::set<Identifier> all;
  for (const auto& [key, held] : announcements_.shelf().entries()) all.insert(key.identifier);
  for (const auto& [key, held] : states_.shelf().entries()) all.insert(key.identifier);
  for (const Identifier& identifier : pulls_.identifiers()) all.insert(identifier);
  return all;
}

void Purgatory::prolong(Held& held, core::UnixSeconds now) const {
  held.expires = before_it_expires(held.event->event, deadline(now));
}

bool Purgatory::extend(const Key& key, core::UnixSeconds now, Transition& changes) {
  bool was_asleep = false;
  const Held* held = announcements_.change(key, [&](Held& entry) {
    was_asleep = std::exchange(entry.asleep, false);
    prolong(entry, now);
  });
  if (held) changes.put_note({note::announcement_key(key), note::text(*held)});
  return was_asleep;
}

void Purgatory::extend_state(const Key& key, core::UnixSeconds now, Transition& changes) {
  const auto* held = states_.change(key, [&](Held& entry) { prolong(entry, now); });
  if (held) changes.put_note({note::state_key(key), note::text(*held)});
}

void Purgatory::extend_pull(const nostr::EventId& id, core::UnixSeconds now, Transition& changes) {
  const auto* held = pulls_.change(id, [&](Held& entry) { prolong(entry, now); });
  if (held) changes.put_note({note::pull_key(id), note::text(*held)});
}

void Purgatory::claim(HeldState held, core::UnixSeconds now, Transition& changes) {
  held.synced = false;
  held.expires = deadline(now);
  hold_state(std::move(held), changes);
}

void Purgatory::claim(HeldPull held, core::UnixSeconds now, Transition& changes) {
  held.synced = false;
  held.expires = deadline(now);
  Transition replaced;
  drop_pull(held.pull.id, replaced);
  hold_pull(std::move(held), changes);
}

void Purgatory::note_again(const nostr::Event& event, Transition& changes) const {
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (!identifier) return;
  const Key key{event.pubkey, *identifier};
  if (const Held* held = announcement(key); held && event.kind == kinds::kAnnouncement)
    changes.put_note({note::announcement_key(key), note::text(*held)});
  if (const HeldState* held = state(key); held && event.kind == kinds::kState)
    changes.put_note({note::state_key(key), note::text(*held)});
}

void Purgatory::drop_announcement(const Key& key, Transition& changes) {
  const Held* held = announcement(key);
  if (!held) return;
  space_.remove(*held);
  announcements_.erase(key);
  changes.put_note({note::announcement_key(key), std::nullopt});
}

void Purgatory::drop_state(const Key& key, Transition& changes) {
  const HeldState* held = state(key);
  if (!held) return;
  space_.remove(*held);
  changes.put_note({note::state_key(key), std::nullopt});
  states_.erase(key);
}

void Purgatory::drop_pull(const nostr::EventId& id, Transition& changes) {
  const HeldPull* held = pull(id);
  if (!held) return;
  space_.remove(*held);
  pulls_.erase(id);
  changes.put_note({note::pull_key(id), std::nullopt});
}

std::vector<std::string> Purgatory::put_upload(Upload upload, Transition& changes) {
  const auto gone = uploads_.making_space(upload).value_or(std::vector<std::string>());
  for (const std::string& token : gone) drop_upload(token, changes);
  changes.put_note({note::upload_key(upload.token), note::text(upload)});
  uploads_.put(std::move(upload));
  return gone;
}

void Purgatory::drop_upload(const std::string& token, Transition& changes) {
  if (uploads_.take(token)) changes.put_note({note::upload_key(token), std::nullopt});
}

Purgatory::Expiry Purgatory::expire(core::UnixSeconds now, Transition& changes) {
  Expiry expiry;
  expire_announcements(now, changes, expiry);
  for (const Key& key : states_.shelf().due(now)) {
    expiry.events.push_back(state(key)->event);
    expiry.stateless.insert(key.identifier);
    remember(state(key)->state.id, now, changes);
    drop_state(key, changes);
  }
  for (const nostr::EventId& id : pulls_.shelf().due(now)) {
    expiry.events.push_back(pull(id)->event);
    remember(id, now, changes);
    drop_pull(id, changes);
  }
  expiry.uploads = uploads_.due(now);
  for (const Upload& upload : expiry.uploads) drop_upload(upload.token, changes);
  for (const auto* oldest = expired_.oldest(); oldest && oldest->first + limits_.memory <= now;
       oldest = expired_.oldest())
    forget(oldest->second, changes);
  return expiry;
}

void Purgatory::expire_announcements(core::UnixSeconds now, Transition& changes, Expiry& expiry) {
  for (const Key& key : announcements_.shelf().due(now)) {
    const nostr::Event& event = announcement(key)->event->event;
    const bool is_awake = !announcement(key)->asleep;
    if (is_awake) expiry.asleep.push_back(key);
    if (is_awake && nostr::expiration(event).value_or(now + 1) > now) {
      const Held* held = announcements_.change(key, [&](Held& entry) {
        entry.asleep = true;
        entry.expires = before_it_expires(event, now + limits_.sleep);
      });
      changes.put_note({note::announcement_key(key), note::text(*held)});
      continue;
    }
    expiry.events.push_back(announcement(key)->event);
    expiry.announcements.push_back(key);
    remember(event.id, now, changes);
    drop_announcement(key, changes);
  }
}

void Purgatory::remember(const nostr::EventId& id, core::UnixSeconds now, Transition& changes) {
  if (limits_.expired_max == 0) return;
  if (expired_.size() >= limits_.expired_max && !expired_.contains(id))
    forget(expired_.oldest()->second, changes);
  expired_.put(id, now);
  changes.put_note({note::expired_key(id), std::to_string(now)});
}

void Purgatory::forget(nostr::EventId id, Transition& changes) {
  expired_.erase(id);
  changes.put_note({note::expired_key(id), std::nullopt});
}

}  // namespace graspd::grasp
