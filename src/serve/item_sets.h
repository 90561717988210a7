// The sets negentropy sessions work on, made from the store's indexes.
//
//   R1  All sets together stay within `bytes_max`: a stranger can open many sessions, and memory
//       is shared by all.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "negentropy/item_set.h"
#include "nostr/filter.h"
#include "store/event_store.h"

namespace graspd::serve {

class ItemSets {
 public:
  struct Refusal {
    std::string reason;
    std::optional<std::uint64_t> cap;
  };

  ItemSets(const store::EventStore& store, std::uint64_t items_max, std::size_t bytes_max)
      : store_(store), items_max_(items_max), bytes_max_(bytes_max) {}

  // Any thread. The set counts against the budget as long as somebody holds it.
  core::Result<std::shared_ptr<const negentropy::ItemSet>, Refusal> make(
      const nostr::Filter& filter, core::UnixSeconds now);

 private:
  const store::EventStore& store_;
  const std::uint64_t items_max_;
  const std::size_t bytes_max_;
  std::shared_ptr<std::atomic<std::size_t>> bytes_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace graspd::serve
