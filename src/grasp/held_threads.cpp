#include "grasp/held_threads.h"

#include <fmt/format.h>

#include "nostr/json.h"

namespace graspd::grasp::held_threads {
namespace {

std::string prefix_of(const Coordinate& gone) {
  return fmt::format("held/{}/{}/", gone.owner.hex(), gone.identifier.text());
}

}  // namespace

std::optional<store::Note> keeping(const Coordinate& gone, const nostr::EventId& id,
                                   const store::Snapshot& here) {
  auto json = here.find_json(id);
  if (!json) return std::nullopt;
  return store::Note{prefix_of(gone) + id.hex(), *std::move(json)};
}

store::Note keeping(const Coordinate& gone, const nostr::WireEvent& event) {
  return {prefix_of(gone) + event.event.id.hex(), event.json};
}

store::Note letting_go(const Coordinate& gone, const nostr::EventId& id) {
  return {prefix_of(gone) + id.hex(), std::nullopt};
}

core::Result<std::vector<nostr::EventId>, store::StoreError> all(const Coordinate& gone,
                                                                 const store::Snapshot& here) {
  const std::string prefix = prefix_of(gone);
  std::vector<nostr::EventId> ids;
  const auto seen = here.notes(prefix, [&](std::string_view key, std::string_view) {
    if (const auto id = nostr::EventId::from_hex(key.substr(prefix.size()))) ids.push_back(*id);
  });
  if (!seen) return core::Failure{seen.error()};
  return ids;
}

std::vector<nostr::WireEventPtr> read(const Coordinate& gone, std::span<const nostr::EventId> ids,
                                      const store::Snapshot& here) {
  std::vector<nostr::WireEventPtr> events;
  const auto take = [&](std::string_view, std::string_view json) {
    if (auto event = nostr::JsonReader().event(json))
      events.push_back(std::make_shared<nostr::WireEvent>(
          nostr::WireEvent{*std::move(event), std::string(json)}));
  };
  for (const nostr::EventId& id : ids)
    static_cast<void>(here.notes(prefix_of(gone) + id.hex(), take));
  return events;
}

}  // namespace graspd::grasp::held_threads
