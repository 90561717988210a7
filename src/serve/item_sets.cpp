#include "serve/item_sets.h"

#include <algorithm>
#include <limits>

namespace graspd::serve {
namespace {

ItemSets::Refusal too_many(std::uint64_t items_max) {
  return {"blocked: too many records; split the query by time", items_max};
}

}  // namespace

core::Result<std::shared_ptr<const negentropy::ItemSet>, ItemSets::Refusal> ItemSets::make(
    const nostr::Filter& filter, core::UnixSeconds now) {
  if (bytes_->load() >= bytes_max_)
    return core::Failure{Refusal{"error: busy with other reconciliations; try again later", {}}};
  auto snapshot = store_.snapshot();
  if (!snapshot)
    return core::Failure{Refusal{"error: " + std::string(store::describe(snapshot.error())), {}}};
  std::vector<negentropy::Item> items;
  std::uint64_t max = items_max_ > 0 ? items_max_ : std::numeric_limits<std::uint64_t>::max();
  // Address space, not memory: pages that are not written to cost nothing.
  items.reserve(std::min(max, (*snapshot)->size()));
  auto all = (*snapshot)->scan(
      filter, now, max, [&](core::UnixSeconds created_at, const nostr::EventId& id) {
        items.push_back({static_cast<std::uint64_t>(created_at), id.bytes()});
      });
  if (!all)
    return core::Failure{Refusal{"error: " + std::string(store::describe(all.error())), {}}};
  if (!*all) return core::Failure{too_many(items_max_)};

  auto set = std::make_unique<negentropy::ItemSet>(std::move(items));
  std::size_t bytes = set->memory_bytes();
  *bytes_ += bytes;
  auto give_back = [total = bytes_, bytes](const negentropy::ItemSet* dead) {
    delete dead;
    *total -= bytes;
  };
  return std::shared_ptr<const negentropy::ItemSet>(set.release(), give_back);
}

}  // namespace graspd::serve
