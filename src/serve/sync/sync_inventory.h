// Our side of a reconciliation: every id we know for a filter, whether the event is stored, held or
// rejected. Otherwise every peer would list the same unwanted events every day.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "core/result.h"
#include "core/time.h"
#include "negentropy/item_set.h"
#include "relay/acceptance.h"
#include "store/event_store.h"
#include "sync/messages.h"

namespace graspd::serve {

class SyncInventory {
 public:
  using Set = std::shared_ptr<const negentropy::ItemSet>;
  struct Problem {
    bool too_large = false;                   // else it could not be read
    std::uint64_t items = 0;                  // so many there are
    std::optional<core::UnixSeconds> middle;  // half of them are older
  };

  SyncInventory(const store::EventStore& store, const relay::Acceptance& acceptance)
      : store_(store), acceptance_(acceptance) {}

  // Blocks: for worker threads.
  core::Result<Set, Problem> read(const nostr::Filter& filter, core::UnixSeconds now,
                                  std::optional<std::uint64_t> items_max) const;
  // How many of the stored events that match the peer was asked to have (`asked`, as in NegOpen),
  // and how many of them it lacks; `lacking` are all it lacks of the set, `items` all there are.
  struct Coverage {
    std::uint64_t ours = 0, only_ours = 0;
  };
  Coverage coverage(const sync::NegOpen& asked, const negentropy::ItemSet& items,
                    std::vector<negentropy::Id> lacking, core::UnixSeconds now) const;
  // The ids that are not known here.
  std::vector<nostr::EventId> unknown(std::vector<nostr::EventId> ids) const;

 private:
  const store::EventStore& store_;
  const relay::Acceptance& acceptance_;
};

// Half of the items are older; nullopt for none.
std::optional<core::UnixSeconds> middle_of(const negentropy::ItemSet& set);

}  // namespace graspd::serve
