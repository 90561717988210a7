#include "grasp/history.h"

#include <fmt/format.h>
#include <limits>

#include "grasp/note_text.h"
#include "nostr/json.h"

namespace graspd::grasp::history {
namespace {

std::string author_prefix(nostr::Kind kind, const nostr::PublicKey& author) {
  return fmt::format("history/{}/{}/", kind.value, author.hex());
}

std::string coordinate_prefix(nostr::Kind kind, const Coordinate& coordinate) {
  return author_prefix(kind, coordinate.owner) + coordinate.identifier.text() + "/";
}

std::optional<Past> parse(std::string_view key) {
  note::take(key, '/');
  const auto kind = note::number<std::uint16_t>(note::take(key, '/'));
  const auto author = nostr::PublicKey::from_hex(note::take(key, '/'));
  const auto identifier = Identifier::parse(note::take(key, '/'));
  const auto created_at = note::number<core::UnixSeconds>(note::take(key, '/'));
  const auto id = nostr::EventId::from_hex(key);
  if (!kind || !author || !identifier || !created_at || !id) return std::nullopt;
  return Past{{*kind}, {*author, *identifier}, {*created_at, *id}};
}

std::vector<Past> below(const store::Snapshot& here, const std::string& prefix) {
  std::vector<Past> found;
  const auto visit = [&](std::string_view key, std::string_view) {
    if (auto past = parse(key)) found.push_back(*std::move(past));
  };
  if (!here.notes(prefix, visit)) return {};
  return found;
}

nostr::WireEventPtr read(std::string_view json) {
  auto event = nostr::JsonReader().event(json);
  if (!event) return nullptr;
  return std::make_shared<nostr::WireEvent>(nostr::WireEvent{*std::move(event), std::string(json)});
}

nostr::WireEventPtr stored(const store::Snapshot& here, const Past& like) {
  nostr::Filter filter;
  filter.authors = {{like.coordinate.owner}};
  filter.kinds = {{like.kind}};
  filter.tags = {{'d', {like.coordinate.identifier.text()}}};
  store::Cursor cursor({filter}, std::numeric_limits<store::Serial>::max());
  nostr::WireEventPtr found;
  const auto visit = [&](const store::Found& event) { found = read(event.json); };
  // What has expired is looked at before it comes back.
  const auto done = here.read(cursor, {}, 0, visit);
  return done ? found : nullptr;
}

}  // namespace

nostr::Address Past::address() const {
  return kind == kinds::kAnnouncement ? coordinate.announcement_address()
                                      : coordinate.state_address(coordinate.owner);
}

store::Note Past::note(std::optional<std::string> json) const {
  return {fmt::format("{}{:020}/{}", coordinate_prefix(kind, coordinate), version.created_at,
                      version.id.hex()),
          std::move(json)};
}

bool is_kept(nostr::Kind kind) { return kind == kinds::kAnnouncement || kind == kinds::kState; }

std::optional<Past> past_of(const nostr::Event& event) {
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (!is_kept(event.kind) || !identifier) return std::nullopt;
  return Past{event.kind, {event.pubkey, *identifier}, {event.created_at, event.id}};
}

std::vector<Past> all(const store::Snapshot& here) { return below(here, "history/"); }

std::vector<Past> of_author(const store::Snapshot& here, nostr::Kind kind,
                            const nostr::PublicKey& author) {
  return below(here, author_prefix(kind, author));
}

std::vector<Past> of(const store::Snapshot& here, nostr::Kind kind, const Coordinate& coordinate) {
  return below(here, coordinate_prefix(kind, coordinate));
}

nostr::WireEventPtr find(const store::Snapshot& here, const Past& past) {
  nostr::WireEventPtr found;
  const auto visit = [&](std::string_view, std::string_view json) { found = read(json); };
  if (!here.notes(past.note(std::nullopt).key, visit)) return nullptr;
  return found;
}

std::vector<store::Note> succession(const store::Snapshot& here, const nostr::Event& successor) {
  const auto past = past_of(successor);
  const auto before = past ? stored(here, *past) : nullptr;
  if (!before || !nostr::wins(past->version, {before->event.created_at, before->event.id}))
    return {};
  return keep(here, *before);
}

std::vector<store::Note> keep(const store::Snapshot& here, const nostr::WireEvent& superseded) {
  const auto past = past_of(superseded.event);
  if (!past) return {};
  std::vector<store::Note> notes{past->note(superseded.json)};
  const auto known = of(here, past->kind, past->coordinate);
  for (std::size_t i = 0; i + kVersionsMax <= known.size(); ++i)
    notes.push_back(known[i].note(std::nullopt));
  return notes;
}

void forget(const store::Snapshot& here, nostr::Kind kind, const Coordinate& coordinate,
            Transition& changes) {
  for (const Past& past : of(here, kind, coordinate)) changes.put_note(past.note(std::nullopt));
}

}  // namespace graspd::grasp::history
