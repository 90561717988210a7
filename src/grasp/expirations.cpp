#include "grasp/expirations.h"

#include <fmt/format.h>

#include "grasp/note_text.h"

namespace graspd::grasp {
namespace {

std::string version_key(nostr::Kind kind, const Coordinate& key) {
  return fmt::format("{}{}/{}/{}", Expirations::kNotePrefix, kind.value, key.owner.hex(),
                     key.identifier.text());
}

std::string expiring_key(const nostr::Event& event, const std::vector<Coordinate>& repositories) {
  const bool is_version = event.kind == kinds::kAnnouncement || event.kind == kinds::kState;
  if (is_version) return version_key(event.kind, repositories.front());
  return fmt::format("{}{}", Expirations::kNotePrefix, event.id.hex());
}

std::string expiring_text(const Expiring& one) {
  std::string text = fmt::format("{} {} {} {} {}", one.at, one.kind.value, one.id.hex(),
                                 one.created_at, one.author.hex());
  for (const Coordinate& repository : one.repositories)
    text += fmt::format("\n{} {}", repository.owner.hex(), repository.identifier.text());
  return text;
}

}  // namespace

void Expirations::stored(const nostr::Event& event, const std::vector<Coordinate>& repositories,
                         Transition& changes) {
  const std::string key = expiring_key(event, repositories);
  const auto at = nostr::expiration(event);
  if (!at) {
    if (erase(key)) changes.put_note({key, std::nullopt});
    return;
  }
  const Expiring expiring{*at, event.kind, event.id, event.created_at, event.pubkey, repositories};
  changes.put_note({key, expiring_text(expiring)});
  put(key, expiring);
}

void Expirations::forget(nostr::Kind kind, const Coordinate& key, Transition& changes) {
  const std::string of = version_key(kind, key);
  if (erase(of)) changes.put_note({of, std::nullopt});
}

std::vector<Expiring> Expirations::take_due(core::UnixSeconds now, Transition& changes) {
  std::vector<Expiring> due;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const std::string key = by_time_.begin()->second;
    due.push_back(entries_.at(key));
    erase(key);
    changes.put_note({key, std::nullopt});
  }
  return due;
}

bool Expirations::restore(std::string_view key, std::string_view value) {
  std::string_view head = note::take(value, '\n');
  const auto at = note::number<core::UnixSeconds>(note::take(head, ' '));
  const auto kind = note::number<std::uint16_t>(note::take(head, ' '));
  const auto id = nostr::EventId::from_hex(note::take(head, ' '));
  const auto created_at = note::number<core::UnixSeconds>(note::take(head, ' '));
  const auto author = nostr::PublicKey::from_hex(head);
  if (!at || !kind || !id || !created_at || !author) return false;
  Expiring expiring{*at, {*kind}, *id, *created_at, *author, {}};
  while (!value.empty()) {
    std::string_view line = note::take(value, '\n');
    const auto owner = nostr::PublicKey::from_hex(note::take(line, ' '));
    const auto identifier = Identifier::parse(line);
    if (!owner || !identifier) return false;
    expiring.repositories.push_back({*owner, *identifier});
  }
  put(std::string(key), std::move(expiring));
  return true;
}

void Expirations::forget_note(std::string_view key) { erase(std::string(key)); }

std::vector<store::Note> Expirations::notes() const {
  std::vector<store::Note> all;
  all.reserve(entries_.size());
  for (const auto& [key, expiring] : entries_) all.push_back({key, expiring_text(expiring)});
  return all;
}

void Expirations::put(const std::string& key, Expiring expiring) {
  erase(key);
  by_time_.insert({expiring.at, key});
  entries_.insert_or_assign(key, std::move(expiring));
}

bool Expirations::erase(const std::string& key) {
  const Expiring* known = entries_.find(key);
  if (!known) return false;
  by_time_.erase(std::pair(known->at, key));
  return entries_.erase(key);
}

}  // namespace graspd::grasp
