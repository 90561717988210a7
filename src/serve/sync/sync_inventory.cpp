#include "serve/sync/sync_inventory.h"

#include <algorithm>
#include <limits>
#include <map>

namespace graspd::serve {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

}  // namespace

core::Result<SyncInventory::Set, SyncInventory::Problem> SyncInventory::read(
    const nostr::Filter& filter, core::UnixSeconds now,
    std::optional<std::uint64_t> items_max) const {
  const auto snapshot = store_.snapshot();
  if (!snapshot) return core::Failure{Problem{}};
  const std::uint64_t max = items_max.value_or(kAny);
  std::vector<negentropy::Item> items;
  std::vector<core::UnixSeconds> times;  // of all, also when there are too many
  const auto add = [&](const store::Position& position) {
    times.push_back(position.created_at);
    if (items.size() <= max) {
      items.push_back({static_cast<std::uint64_t>(position.created_at), position.id.bytes()});
    }
  };
  const auto scanned = (*snapshot)->scan(filter, now, kAny, [&](auto some) {
    for (const store::Position& position : some) add(position);
  });
  if (!scanned) return core::Failure{Problem{}};
  for (const store::Position& position : acceptance_.known(filter)) add(position);
  if (times.size() <= max) return std::make_shared<const negentropy::ItemSet>(items);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return core::Failure{Problem{true, times.size(), *middle}};
}

SyncInventory::Coverage SyncInventory::coverage(const sync::NegOpen& asked,
                                                const negentropy::ItemSet& items,
                                                std::vector<negentropy::Id> lacking,
                                                core::UnixSeconds now) const {
  const auto snapshot = store_.snapshot();
  if (!snapshot) return {};
  std::ranges::sort(lacking);
  lacking.erase(std::ranges::unique(lacking).begin(), lacking.end());
  if (!asked.asked) {
    const auto stored = std::ranges::count_if(lacking, [&](const negentropy::Id& id) {
      return (*snapshot)->contains(nostr::EventId(id));  // not what was refused here
    });
    return {items.size(), static_cast<std::uint64_t>(stored)};
  }
  std::map<nostr::PublicKey, std::vector<std::string>> identifiers;
  for (const nostr::Address& one : *asked.asked) identifiers[one.pubkey].push_back(one.identifier);
  Coverage coverage;
  for (auto& [owner, names] : identifiers) {
    nostr::Filter filter = asked.filter;
    filter.authors = std::vector{owner};
    std::erase_if(filter.tags, [](const auto& condition) { return condition.letter == 'd'; });
    filter.tags.push_back({.letter = 'd', .values = std::move(names)});
    nostr::normalise(filter);
    const auto count = [&](auto some) {
      coverage.ours += some.size();
      for (const store::Position& position : some)
        coverage.only_ours += std::ranges::binary_search(lacking, position.id.bytes()) ? 1 : 0;
    };
    if (!(*snapshot)->scan(filter, now, kAny, count)) return {};
  }
  return coverage;
}

std::vector<nostr::EventId> SyncInventory::unknown(std::vector<nostr::EventId> ids) const {
  const auto snapshot = store_.snapshot();
  std::erase_if(ids, [&](const nostr::EventId& id) {
    return (snapshot && (*snapshot)->contains(id)) || acceptance_.knows(id);
  });
  return ids;
}

std::optional<core::UnixSeconds> middle_of(const negentropy::ItemSet& set) {
  if (set.size() == 0) return std::nullopt;
  return static_cast<core::UnixSeconds>(set[set.size() / 2].timestamp);
}

}  // namespace graspd::serve
