#include "app/sync_once/sync_inventory.h"

#include <fmt/format.h>

#include "negentropy/item_set_builder.h"

namespace graspd::app {
namespace {

negentropy::Item item(const store::Position& position) {
  return {static_cast<std::uint64_t>(position.created_at), position.id.bytes()};
}

core::Failure<std::string> unread(store::StoreError error) {
  return {fmt::format("our own database could not be read: {}", store::describe(error))};
}

}  // namespace

core::Result<Inventory::Items, std::string> Inventory::items(const nostr::Filter& filter,
                                                             std::uint64_t max,
                                                             core::UnixSeconds now) const {
  const auto snapshot = store.snapshot();
  if (!snapshot) return unread(snapshot.error());  // R2
  negentropy::ItemSetBuilder builder(std::min(max, (*snapshot)->size()));
  const auto all = (*snapshot)->scan(filter, now, max, [&](std::span<const store::Position> some) {
    for (const store::Position& position : some) builder.add(item(position));
  });
  if (!all) return unread(all.error());
  if (acceptance != nullptr) {  // R1
    for (const store::Position& position : acceptance->known(filter)) builder.add(item(position));
  }
  Items out;
  out.set = std::make_shared<const negentropy::ItemSet>(std::move(builder).finish());
  out.complete = *all;
  if (const std::size_t size = out.set->size(); size > 0)
    out.middle = static_cast<core::UnixSeconds>((*out.set)[size / 2].timestamp);
  return out;
}

bool Inventory::stored(const nostr::EventId& id) const {
  const auto snapshot = store.snapshot();
  return snapshot && (*snapshot)->contains(id);
}

bool Inventory::knows(const nostr::EventId& id) const {
  return stored(id) || (acceptance != nullptr && acceptance->knows(id));
}

std::optional<std::string> Inventory::json(const nostr::EventId& id) const {
  const auto snapshot = store.snapshot();
  return snapshot ? (*snapshot)->find_json(id) : std::nullopt;
}

}  // namespace graspd::app
