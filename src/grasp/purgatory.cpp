#include "grasp/purgatory.h"

#include <algorithm>

#include "grasp/purgatory_note.h"

namespace graspd::grasp {
namespace {

// Keys lie by identifier, then owner: the first possible one of an identifier.
Coordinate first_of(const Identifier& identifier) { return {nostr::PublicKey(), identifier}; }

core::UnixSeconds before_it_expires(const nostr::Event& event, core::UnixSeconds deadline) {
  return std::min(deadline, nostr::expiration(event).value_or(deadline));
}

// Heavy authors that are looked at in search of one who may lose something.
constexpr std::size_t kHeaviestSeen = 64;

}  // namespace

Purgatory::Room Purgatory::space_for(const nostr::WireEvent& event, const Held* instead_of) const {
  const Share* own = by_author_.find(event.event.pubkey);
  const std::size_t freed = instead_of ? instead_of->event->json.size() : 0;
  if (own && !instead_of && own->events >= limits_.events_per_author_max) return Room::AuthorFull;
  if ((own ? own->bytes : 0) - freed + event.json.size() > limits_.bytes_per_author_max)
    return Room::AuthorFull;
  return bytes_ - freed + event.json.size() > limits_.bytes_max ? Room::Full : Room::Yes;
}

Purgatory::Place Purgatory::place_for(const Key& key, const std::string& source,
                                      bool synced) const {
  if (announcement(key)) return Place::Yes;
  const std::size_t of_source =
      synced ? limits_.announcements_per_relay_max : limits_.announcements_per_address_max;
  if (!source.empty() && of_source > 0 && sources_.count(source) >= of_source)
    return Place::SourceFull;
  const std::size_t all = limits_.announcements_max;
  return all > 0 && sources_.size() >= all ? Place::Full : Place::Yes;
}

std::size_t Purgatory::bytes_of(const nostr::PublicKey& author) const {
  const Share* own = by_author_.find(author);
  return own ? own->bytes : 0;
}

std::optional<nostr::PublicKey> Purgatory::heaviest(const MayLose& may_lose) const {
  std::size_t seen = 0;
  for (auto at = by_weight_.rbegin(); at != by_weight_.rend() && seen < kHeaviestSeen; ++at, ++seen)
    if (may_lose(at->second)) return at->second;
  return std::nullopt;
}

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

void Purgatory::count(const Held& held, std::ptrdiff_t by) {
  const auto bytes =
      static_cast<std::size_t>(by * static_cast<std::ptrdiff_t>(held.event->json.size()));
  const nostr::PublicKey& author = held.event->event.pubkey;
  Share& share = by_author_[author];
  by_weight_.erase(std::pair(share.bytes, author));
  bytes_ += bytes;
  share.bytes += bytes;
  share.events += static_cast<std::size_t>(by);
  if (share.events == 0)
    by_author_.erase(author);
  else
    by_weight_.insert({share.bytes, author});
  const nostr::EventId& id = held.event->event.id;
  by > 0 ? void(authors_.insert_or_assign(id, author)) : void(authors_.erase(id));
}

void Purgatory::hold_announcement(const Key& key, Held held, Transition& changes) {
  held.expires = before_it_expires(held.event->event, held.expires);
  if (const Held* before = announcement(key)) {
    count(*before, -1);
    held.source = before->source;
  }
  sources_.put(key, held.source);
  count(held, 1);
  changes.put_note({note::announcement_key(key), note::text(held)});
  announcements_.put(key, std::move(held));
}

void Purgatory::hold_state(HeldState held, Transition& changes) {
  held.expires = before_it_expires(held.event->event, held.expires);
  const Key key{held.state.author, held.state.identifier};
  if (const HeldState* before = state(key)) count(*before, -1);
  count(held, 1);
  changes.put_note({note::state_key(key), note::text(held)});
  states_by_identifier_[key.identifier].put(key.owner, {held.state.created_at, held.state.id});
  states_.put(key, std::move(held));
}

void Purgatory::hold_pull(HeldPull held, Transition& changes) {
  const nostr::EventId id = held.pull.id;
  if (pull(id)) return;
  held.expires = before_it_expires(held.event->event, held.expires);
  count(held, 1);
  changes.put_note({note::pull_key(id), note::text(held)});
  index_pull(held, true);
  pulls_.put(id, std::move(held));
}

void Purgatory::index_pull(const HeldPull& held, bool add) {
  for (const Coordinate& repository : held.pull.repositories) {
    auto& ids = pulls_by_identifier_[repository.identifier];
    add ? void(ids.insert(held.pull.id)) : void(ids.erase(held.pull.id));
    if (ids.empty()) pulls_by_identifier_.erase(repository.identifier);
  }
}

const Held* Purgatory::announcement(const Key& key) const { return announcements_.find(key); }
const HeldState* Purgatory::state(const Key& key) const { return states_.find(key); }
const HeldState* Purgatory::state(const nostr::EventId& id, const Identifier& identifier) const {
  const nostr::PublicKey* author = authors_.find(id);
  const HeldState* held = author ? state({*author, identifier}) : nullptr;
  return held && held->state.id == id ? held : nullptr;
}
const HeldPull* Purgatory::pull(const nostr::EventId& id) const { return pulls_.find(id); }

std::vector<const HeldState*> Purgatory::states(const Identifier& identifier) const {
  std::vector<const HeldState*> found;
  const auto& all = states_.entries();
  for (auto at = all.lower_bound(first_of(identifier));
       at != all.end() && at->first.identifier == identifier; ++at)
    found.push_back(&at->second);
  return found;
}
bool Purgatory::has_states(const Identifier& identifier) const {
  return states_by_identifier_.contains(identifier);
}
std::optional<nostr::Version> Purgatory::newest_state(
    const Identifier& identifier, const std::set<nostr::PublicKey>& members) const {
  const NewestStates* all = states_by_identifier_.find(identifier);
  return all ? all->newest_of(members) : std::nullopt;
}

std::vector<nostr::EventId> Purgatory::pulls(const Identifier& identifier, std::size_t max) const {
  const auto* ids = pulls_by_identifier_.find(identifier);
  if (!ids) return {};
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, ids->size()));
  return {ids->begin(), std::next(ids->begin(), count)};
}
std::size_t Purgatory::pull_count(const Identifier& identifier) const {
  const auto* ids = pulls_by_identifier_.find(identifier);
  return ids ? ids->size() : 0;
}

std::vector<Purgatory::Key> Purgatory::announcements() const {
  std::vector<Key> keys;
  keys.reserve(announcements_.size());
  for (const auto& [key, held] : announcements_.entries()) keys.push_back(key);
  return keys;
}
std::vector<Purgatory::Key> Purgatory::announcements_of(const nostr::PublicKey& owner) const {
  return announcements_.by(owner);
}
std::vector<Purgatory::Key> Purgatory::states_of(const nostr::PublicKey& author) const {
  return states_.by(author);
}
std::vector<nostr::EventId> Purgatory::pulls_of(const nostr::PublicKey& author) const {
  return pulls_.by(author);
}

std::vector<nostr::WireEventPtr> Purgatory::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(announcements_.size() + states_.size() + pulls_.size());
  for (const auto& [key, held] : announcements_.entries()) all.push_back(held.event);
  for (const auto& [key, held] : states_.entries()) all.push_back(held.event);
  for (const auto& [id, held] : pulls_.entries()) all.push_back(held.event);
  return all;
}

std::set<Identifier> Purgatory::identifiers() const {
  std::set<Identifier> all;
  for (const auto& [key, held] : announcements_.entries()) all.insert(key.identifier);
  for (const auto& [key, held] : states_.entries()) all.insert(key.identifier);
  for (const auto& [identifier, ids] : pulls_by_identifier_) all.insert(identifier);
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
  count(*held, -1);
  sources_.erase(key);
  announcements_.erase(key);
  changes.put_note({note::announcement_key(key), std::nullopt});
}

void Purgatory::drop_state(const Key& key, Transition& changes) {
  const HeldState* held = state(key);
  if (!held) return;
  count(*held, -1);
  NewestStates& all = states_by_identifier_[key.identifier];
  all.erase(key.owner);
  if (all.empty()) states_by_identifier_.erase(key.identifier);
  changes.put_note({note::state_key(key), std::nullopt});
  states_.erase(key);
}

void Purgatory::drop_pull(const nostr::EventId& id, Transition& changes) {
  const HeldPull* held = pull(id);
  if (!held) return;
  count(*held, -1);
  index_pull(*held, false);
  pulls_.erase(id);
  changes.put_note({note::pull_key(id), std::nullopt});
}

bool Purgatory::has_space(const Upload& upload) const {
  return uploads_.making_space(upload).has_value();
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
  for (const Key& key : states_.due(now)) {
    expiry.events.push_back(state(key)->event);
    expiry.stateless.insert(key.identifier);
    remember(state(key)->state.id, now, changes);
    drop_state(key, changes);
  }
  for (const nostr::EventId& id : pulls_.due(now)) {
    expiry.events.push_back(pull(id)->event);
    remember(id, now, changes);
    drop_pull(id, changes);
  }
  expiry.uploads = uploads_.due(now);
  for (const Upload& upload : expiry.uploads) drop_upload(upload.token, changes);
  forget_expired(now, changes);
  return expiry;
}

void Purgatory::expire_announcements(core::UnixSeconds now, Transition& changes, Expiry& expiry) {
  for (const Key& key : announcements_.due(now)) {
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

// Who makes much expire forgets what is oldest, not what others have just given up.
void Purgatory::remember(const nostr::EventId& id, core::UnixSeconds now, Transition& changes) {
  if (limits_.expired_max == 0) return;
  if (expired_.size() >= limits_.expired_max && !expired_.contains(id))
    forget(expired_by_time_.begin()->second, changes);
  note_expired(id, now);
  changes.put_note({note::expired_key(id), std::to_string(now)});
}

void Purgatory::note_expired(const nostr::EventId& id, core::UnixSeconds when) {
  if (const core::UnixSeconds* before = expired_.find(id))
    expired_by_time_.erase(std::pair(*before, id));
  expired_.insert_or_assign(id, when);
  expired_by_time_.insert({when, id});
}

void Purgatory::forget(nostr::EventId id, Transition& changes) {
  expired_by_time_.erase(std::pair(expired_.at(id), id));
  expired_.erase(id);
  changes.put_note({note::expired_key(id), std::nullopt});
}

void Purgatory::forget_expired(core::UnixSeconds now, Transition& changes) {
  while (!expired_by_time_.empty() && expired_by_time_.begin()->first + limits_.memory <= now)
    forget(expired_by_time_.begin()->second, changes);
}

}  // namespace graspd::grasp
