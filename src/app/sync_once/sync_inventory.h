// Our side of a comparison: what is stored here, and what is known without being stored.
//
//   R1  A set has every id we know for its filter, including events that are held, waiting or
//       rejected. Otherwise the same unwanted events would be fetched each time.
//   R2  A read that fails is a failure, never an empty set.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "negentropy/item_set.h"
#include "nostr/filter.h"
#include "relay/acceptance.h"
#include "store/event_store.h"

namespace graspd::app {

struct Inventory {
  const store::EventStore& store;
  const relay::Acceptance* acceptance = nullptr;  // whoever knows more; none: nobody does

  struct Items {
    std::shared_ptr<const negentropy::ItemSet> set;
    bool complete = true;                     // false: there are more than asked for
    std::optional<core::UnixSeconds> middle;  // the median time of those that were read
  };
  // The failure is a sentence.
  core::Result<Items, std::string> items(const nostr::Filter& filter, std::uint64_t max,
                                         core::UnixSeconds now) const;
  bool stored(const nostr::EventId& id) const;
  bool knows(const nostr::EventId& id) const;
  std::optional<std::string> json(const nostr::EventId& id) const;
};

}  // namespace graspd::app
