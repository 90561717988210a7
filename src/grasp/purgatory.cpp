#include "grasp/purgatory.h"

#include <algorithm>
#include <charconv>

#include "grasp/purgatory_note.h"

namespace graspd::grasp {
namespace {

template <class Map, class Key>
auto* find_in(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

// Keys lie by identifier, then owner: the first possible one of an identifier.
Coordinate first_of(const Identifier& identifier) { return {nostr::PublicKey(), identifier}; }

template <class Map>
std::vector<Coordinate> keys_of(const Map& map, const nostr::PublicKey& who) {
  std::vector<Coordinate> keys;
  for (const auto& [key, held] : map)
    if (key.owner == who) keys.push_back(key);
  return keys;
}

}  // namespace

Purgatory::Room Purgatory::room_for(const nostr::WireEvent& event, const Held* instead_of) const {
  const auto* held = find_in(by_author_, event.event.pubkey);
  if (!instead_of && held && *held >= limits_.events_per_author_max) return Room::AuthorFull;
  const std::size_t freed = instead_of ? instead_of->event->json.size() : 0;
  return bytes_ - freed + event.json.size() > limits_.bytes_max ? Room::Full : Room::Yes;
}

void Purgatory::count(const Held& held, std::ptrdiff_t by) {
  bytes_ += static_cast<std::size_t>(by * static_cast<std::ptrdiff_t>(held.event->json.size()));
  const auto at = by_author_.try_emplace(held.event->event.pubkey, 0).first;
  at->second += static_cast<std::size_t>(by);
  if (at->second == 0) by_author_.erase(at);
  by > 0 ? void(ids_.insert(held.event->event.id)) : void(ids_.erase(held.event->event.id));
}

void Purgatory::hold_announcement(const Key& key, Held held, Notes& notes) {
  if (const Held* before = announcement(key)) count(*before, -1);
  count(held, 1);
  notes.push_back({note::announcement_key(key), note::text(held)});
  announcements_.insert_or_assign(key, std::move(held));
}

void Purgatory::hold_state(HeldState held, Notes& notes) {
  const Key key{held.state.author, held.state.identifier};
  if (const HeldState* before = state(key)) count(*before, -1);
  count(held, 1);
  notes.push_back({note::state_key(key), note::text(held)});
  states_.insert_or_assign(key, std::move(held));
}

void Purgatory::hold_pull(HeldPull held, Notes& notes) {
  const nostr::EventId id = held.pull.id;
  if (pull(id)) return;
  count(held, 1);
  notes.push_back({note::pull_key(id), note::text(held)});
  index_pull(held, true);
  pulls_.emplace(id, std::move(held));
}

void Purgatory::index_pull(const HeldPull& held, bool add) {
  for (const Coordinate& repository : held.pull.repositories) {
    const auto at = pulls_by_identifier_.try_emplace(repository.identifier).first;
    add ? void(at->second.insert(held.pull.id)) : void(at->second.erase(held.pull.id));
    if (at->second.empty()) pulls_by_identifier_.erase(at);
  }
}

const Held* Purgatory::announcement(const Key& key) const { return find_in(announcements_, key); }
const HeldState* Purgatory::state(const Key& key) const { return find_in(states_, key); }
const HeldPull* Purgatory::pull(const nostr::EventId& id) const { return find_in(pulls_, id); }

std::vector<const HeldState*> Purgatory::states(const Identifier& identifier) const {
  std::vector<const HeldState*> found;
  for (auto at = states_.lower_bound(first_of(identifier));
       at != states_.end() && at->first.identifier == identifier; ++at)
    found.push_back(&at->second);
  return found;
}

std::vector<nostr::EventId> Purgatory::pulls(const Identifier& identifier) const {
  const auto* ids = find_in(pulls_by_identifier_, identifier);
  return ids ? std::vector<nostr::EventId>(ids->begin(), ids->end())
             : std::vector<nostr::EventId>();
}

std::vector<Purgatory::Key> Purgatory::announcements() const {
  std::vector<Key> keys;
  keys.reserve(announcements_.size());
  for (const auto& [key, held] : announcements_) keys.push_back(key);
  return keys;
}
std::vector<Purgatory::Key> Purgatory::announcements_of(const nostr::PublicKey& owner) const {
  return keys_of(announcements_, owner);
}
std::vector<Purgatory::Key> Purgatory::states_of(const nostr::PublicKey& author) const {
  return keys_of(states_, author);
}
std::vector<nostr::EventId> Purgatory::pulls_of(const nostr::PublicKey& author) const {
  std::vector<nostr::EventId> ids;
  for (const auto& [id, held] : pulls_)
    if (held.pull.author == author) ids.push_back(id);
  return ids;
}

std::vector<nostr::WireEventPtr> Purgatory::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(announcements_.size() + states_.size() + pulls_.size());
  for (const auto& [key, held] : announcements_) all.push_back(held.event);
  for (const auto& [key, held] : states_) all.push_back(held.event);
  for (const auto& [id, held] : pulls_) all.push_back(held.event);
  return all;
}

std::set<Identifier> Purgatory::identifiers() const {
  std::set<Identifier> all;
  for (const auto& [key, held] : announcements_) all.insert(key.identifier);
  for (const auto& [key, held] : states_) all.insert(key.identifier);
  for (const auto& [identifier, ids] : pulls_by_identifier_) all.insert(identifier);
  return all;
}

bool Purgatory::extend(const Key& key, core::UnixSeconds now, Notes& notes) {
  Held* held = find_in(announcements_, key);
  if (!held) return false;
  const bool was_asleep = std::exchange(held->asleep, false);
  held->expires = deadline(now);
  notes.push_back({note::announcement_key(key), note::text(*held)});
  return was_asleep;
}

void Purgatory::extend_state(const Key& key, core::UnixSeconds now, Notes& notes) {
  HeldState* held = find_in(states_, key);
  if (!held) return;
  held->expires = deadline(now);
  notes.push_back({note::state_key(key), note::text(*held)});
}

void Purgatory::extend_pull(const nostr::EventId& id, core::UnixSeconds now, Notes& notes) {
  HeldPull* held = find_in(pulls_, id);
  if (!held) return;
  held->expires = deadline(now);
  notes.push_back({note::pull_key(id), note::text(*held)});
}

void Purgatory::claim(HeldState held, core::UnixSeconds now, Notes& notes) {
  held.synced = false;
  held.expires = deadline(now);
  hold_state(std::move(held), notes);
}

void Purgatory::claim(HeldPull held, core::UnixSeconds now, Notes& notes) {
  held.synced = false;
  held.expires = deadline(now);
  Notes replaced;
  drop_pull(held.pull.id, replaced);
  hold_pull(std::move(held), notes);
}

void Purgatory::note_again(const nostr::Event& event, Notes& notes) const {
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (!identifier) return;
  const Key key{event.pubkey, *identifier};
  if (const Held* held = announcement(key); held && event.kind == kinds::kAnnouncement)
    notes.push_back({note::announcement_key(key), note::text(*held)});
  if (const HeldState* held = state(key); held && event.kind == kinds::kState)
    notes.push_back({note::state_key(key), note::text(*held)});
}

void Purgatory::drop_announcement(const Key& key, Notes& notes) {
  const Held* held = announcement(key);
  if (!held) return;
  count(*held, -1);
  announcements_.erase(key);
  notes.push_back({note::announcement_key(key), std::nullopt});
}

void Purgatory::drop_state(const Key& key, Notes& notes) {
  const HeldState* held = state(key);
  if (!held) return;
  count(*held, -1);
  states_.erase(key);
  notes.push_back({note::state_key(key), std::nullopt});
}

void Purgatory::drop_pull(const nostr::EventId& id, Notes& notes) {
  const HeldPull* held = pull(id);
  if (!held) return;
  count(*held, -1);
  index_pull(*held, false);
  pulls_.erase(id);
  notes.push_back({note::pull_key(id), std::nullopt});
}

Purgatory::Load Purgatory::load_of_uploads(bool in_trays, const Coordinate* view) const {
  Load load;
  for (const auto& [token, upload] : uploads_) {
    if (upload.in_tray != in_trays || (view && upload.view != *view)) continue;
    load.bytes += upload.bytes;
    ++load.uploads;
  }
  return load;
}

Purgatory::Room Purgatory::room_for_upload(const Coordinate& view, std::uint64_t bytes) const {
  const Load here = load_of_uploads(false, &view), all = load_of_uploads(false, nullptr);
  if (here.uploads >= limits_.uploads_per_view_max ||
      here.bytes + bytes > limits_.upload_bytes_per_view_max)
    return Room::AuthorFull;
  return all.bytes + bytes > limits_.upload_bytes_max ? Room::Full : Room::Yes;
}

Purgatory::Room Purgatory::room_in_tray(const Coordinate& tray, std::uint64_t bytes) const {
  const Load here = load_of_uploads(true, &tray), all = load_of_uploads(true, nullptr);
  if (here.uploads >= limits_.uploads_per_view_max ||
      here.bytes + bytes > limits_.upload_bytes_per_view_max)
    return Room::AuthorFull;
  const bool is_full =
      all.uploads >= limits_.tray_uploads_max || all.bytes + bytes > limits_.tray_upload_bytes_max;
  return is_full ? Room::Full : Room::Yes;
}

void Purgatory::put_upload(Upload upload, Notes& notes) {
  notes.push_back({note::upload_key(upload.token), note::text(upload)});
  uploads_.insert_or_assign(upload.token, std::move(upload));
}

void Purgatory::drop_upload(const std::string& token, Notes& notes) {
  if (uploads_.erase(token) > 0) notes.push_back({note::upload_key(token), std::nullopt});
}

std::vector<Upload> Purgatory::uploads(const nostr::EventId& event) const {
  std::vector<Upload> found;
  for (const auto& [token, upload] : uploads_)
    if (upload.event == event) found.push_back(upload);
  return found;
}

std::set<std::string> Purgatory::upload_tokens() const {
  std::set<std::string> tokens;
  for (const auto& [token, upload] : uploads_) tokens.insert(token);
  return tokens;
}

Purgatory::Expiry Purgatory::expire(core::UnixSeconds now, Notes& notes) {
  Expiry expiry;
  expire_announcements(now, notes, expiry);
  std::vector<Key> states;
  for (const auto& [key, held] : states_)
    if (held.expires <= now) states.push_back(key);
  for (const Key& key : states) {
    expiry.events.push_back(state(key)->event);
    expiry.stateless.insert(key.identifier);
    remember(state(key)->state.id, now, notes);
    drop_state(key, notes);
  }
  std::vector<nostr::EventId> pulls;
  for (const auto& [id, held] : pulls_)
    if (held.expires <= now) pulls.push_back(id);
  for (const nostr::EventId& id : pulls) {
    expiry.events.push_back(pull(id)->event);
    remember(id, now, notes);
    drop_pull(id, notes);
  }
  for (const auto& [token, upload] : uploads_)
    if (upload.expires <= now) expiry.uploads.push_back(upload);
  for (const Upload& upload : expiry.uploads) drop_upload(upload.token, notes);
  forget_expired(now, notes);
  return expiry;
}

void Purgatory::expire_announcements(core::UnixSeconds now, Notes& notes, Expiry& expiry) {
  std::vector<Key> over;
  for (auto& [key, held] : announcements_) {
    if (held.expires > now) continue;
    if (held.asleep) {
      over.push_back(key);
      continue;
    }
    held.asleep = true;
    held.expires = now + limits_.sleep;
    notes.push_back({note::announcement_key(key), note::text(held)});
    expiry.asleep.push_back(key);
  }
  for (const Key& key : over) {
    expiry.events.push_back(announcement(key)->event);
    expiry.announcements.push_back(key);
    remember(announcement(key)->event->event.id, now, notes);
    drop_announcement(key, notes);
  }
}

void Purgatory::remember(const nostr::EventId& id, core::UnixSeconds now, Notes& notes) {
  if (expired_.size() >= limits_.expired_max) return;
  expired_.insert_or_assign(id, now);
  notes.push_back({note::expired_key(id), std::to_string(now)});
}

void Purgatory::forget_expired(core::UnixSeconds now, Notes& notes) {
  std::erase_if(expired_, [&](const auto& entry) {
    const bool over = entry.second + limits_.memory <= now;
    if (over) notes.push_back({note::expired_key(entry.first), std::nullopt});
    return over;
  });
}

bool Purgatory::restore(std::string_view key, std::string_view value) {
  key.remove_prefix(kNotePrefix.size());
  const auto kind = key.substr(0, key.find('/'));
  const auto name = key.substr(std::min(kind.size() + 1, key.size()));
  if (kind == "upload") {
    auto upload = note::parse_upload(name, value);
    if (upload) uploads_.insert_or_assign(upload->token, *upload);
    return upload.has_value();
  }
  if (kind == "expired") {
    const auto id = nostr::EventId::from_hex(name);
    core::UnixSeconds time = 0;
    std::from_chars(value.data(), value.data() + value.size(), time);
    if (id) expired_.insert_or_assign(*id, time);
    return id.has_value();
  }
  return restore_event(kind, value);
}

bool Purgatory::restore_event(std::string_view kind, std::string_view value) {
  auto held = note::parse_held(value);
  if (!held) return false;
  const nostr::Event& event = held->event->event;
  Notes known;
  if (kind == "announcement") {
    const auto announced = parse_announcement(event);
    if (announced) hold_announcement(announced->coordinate, *std::move(held), known);
    return static_cast<bool>(announced);
  }
  if (kind == "state") {
    auto state = parse_state(event);
    if (!state) return false;
    hold_state({*std::move(held), *std::move(state)}, known);
    return true;
  }
  if (kind != "pull") return false;
  PullRequest pull = parse_pull_request(event);
  hold_pull({*std::move(held), std::move(pull)}, known);
  return true;
}

}  // namespace graspd::grasp
