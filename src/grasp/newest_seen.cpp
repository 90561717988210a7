#include "grasp/newest_seen.h"

#include <fmt/format.h>

#include "grasp/coordinate_note.h"

namespace graspd::grasp {

store::Note NewestSeen::note(const Coordinate& key, const nostr::Version& version) const {
  return {note::coordinate_key(prefix_, key),
          fmt::format("{} {}", version.created_at, version.id.hex())};
}

void NewestSeen::raise(const Coordinate& key, const nostr::Version& version, Transition& changes) {
  versions_.insert_or_assign(key, version);
  changes.put_note(note(key, version));
}

bool NewestSeen::is_past(const Coordinate& key, const nostr::Version& version) const {
  const nostr::Version* seen = versions_.find(key);
  return seen && nostr::wins(*seen, version);
}

core::UnixSeconds NewestSeen::created_at(std::string_view note_value) {
  return note::leading_time(note_value);
}

bool NewestSeen::restore(std::string_view key, std::string_view value) {
  const auto coordinate = note::parse_coordinate(key.substr(prefix_.size()));
  const auto id = note::trailing_id(value);
  if (!coordinate || !id) return false;
  versions_.insert_or_assign(*coordinate, nostr::Version{created_at(value), *id});
  return true;
}

void NewestSeen::forget_note(std::string_view key) {
  if (const auto of = note::parse_coordinate(key.substr(prefix_.size()))) versions_.erase(*of);
}

std::vector<store::Note> NewestSeen::notes() const {
  std::vector<store::Note> all;
  for (const auto& [key, version] : versions_) all.push_back(note(key, version));
  return all;
}

}  // namespace graspd::grasp
