// Purgatory as its notes tell it.
#include <charconv>

#include "grasp/coordinate_note.h"
#include "grasp/purgatory.h"
#include "grasp/purgatory_note.h"

namespace graspd::grasp {

bool Purgatory::restore(std::string_view key, std::string_view value) {
  key.remove_prefix(kNotePrefix.size());
  const auto kind = key.substr(0, key.find('/'));
  const auto name = key.substr(std::min(kind.size() + 1, key.size()));
  if (kind == "upload") {
    auto upload = note::parse_upload(name, value);
    if (upload) uploads_.put(*upload);
    return upload.has_value();
  }
  if (kind == "expired") {
    const auto id = nostr::EventId::from_hex(name);
    core::UnixSeconds time = 0;
    std::from_chars(value.data(), value.data() + value.size(), time);
    if (id) expired_.put(*id, time);
    return id.has_value();
  }
  return restore_event(kind, value);
}

bool Purgatory::restore_event(std::string_view kind, std::string_view value) {
  auto held = note::parse_held(value);
  if (!held) return false;
  const nostr::Event& event = held->event->event;
  Transition known;
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

void Purgatory::forget_note(std::string_view key) {
  Transition known;
  key.remove_prefix(kNotePrefix.size());
  const auto kind = note::take(key, '/');
  const auto id = nostr::EventId::from_hex(key);
  const auto coordinate = note::parse_coordinate(key);
  if (kind == "upload") drop_upload(std::string(key), known);
  if (kind == "expired" && id && expired_.contains(*id)) forget(*id, known);
  if (kind == "pull" && id) drop_pull(*id, known);
  if (kind == "announcement" && coordinate) drop_announcement(*coordinate, known);
  if (kind == "state" && coordinate) drop_state(*coordinate, known);
}

std::vector<store::Note> Purgatory::notes() const {
  std::vector<store::Note> all;
  for (const auto& [key, held] : announcements_.shelf().entries())
    all.push_back({note::announcement_key(key), note::text(held)});
  for (const auto& [key, held] : states_.shelf().entries())
    all.push_back({note::state_key(key), note::text(held)});
  for (const auto& [id, held] : pulls_.shelf().entries())
    all.push_back({note::pull_key(id), note::text(held)});
  for (const Upload& upload : uploads_.all())
    all.push_back({note::upload_key(upload.token), note::text(upload)});
  for (const auto& [id, when] : expired_.all())
    all.push_back({note::expired_key(id), std::to_string(when)});
  return all;
}

}  // namespace graspd::grasp
