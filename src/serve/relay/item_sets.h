// The sets that negentropy sessions work on, built from the store's indexes.
//
//   R1  All sets together, including those being built, stay within `bytes`: a stranger can open
//       many sessions, and everybody shares the memory. A single set may be larger.
//   R2  Sessions with the same filter share one large set while nothing new is stored, as long as
//       one of them holds it, and for at most kSharedFor: during that time the set may still
//       contain an event that has expired or was removed.
//   R3  A set is built in slices, each from its own snapshot (Q6 of the store), so that a set of a
//       million items does not block a thread.
//   R4  One party holds at most a quarter of `bytes`, or one set, so that others can reconcile too.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "negentropy/item_set_builder.h"
#include "nostr/filter.h"
#include "serve/runtime/turns.h"
#include "store/event_store.h"

namespace graspd::serve {

struct ItemSetLimits {
  std::uint64_t items = 0;  // in one set; 0: any number
  std::size_t bytes = 0;    // of all sets
  // Smaller sets are not looked for: making one is quick, and this bounds how many are known.
  std::size_t shared_bytes_min = 256UL * 1024;
};

class ItemSets {
 public:
  using Set = std::shared_ptr<const negentropy::ItemSet>;
  struct Refusal {
    std::string reason;
    std::optional<std::uint64_t> cap;
  };
  static constexpr core::UnixSeconds kSharedFor = 30;

  using Answer = core::Result<Set, Refusal>;
  class Making;

  ItemSets(const store::EventStore& store, const ItemSetLimits& limits)
      : store_(store), limits_(limits) {}

  // Any thread. The set counts against the budget, and the party's, as long as somebody holds it.
  Answer get(nostr::Filter filter, core::UnixSeconds now, const Party& party = {});

 private:
  struct Question {
    nostr::Filter filter;
    store::Serial newest = 0;
  };
  struct Known {
    Question question;
    core::UnixSeconds asked_at = 0;
    std::weak_ptr<const negentropy::ItemSet> set;
  };

  // Bytes held. Lives as long as the last set.
  struct Ledger {
    std::atomic<std::size_t> all = 0;
    mutable std::mutex mutex;
    std::map<Party, std::size_t> by_party;  // none is 0

    std::size_t of(const Party& party) const;
    void take(const Party& party, std::size_t bytes);
    void give_back(const Party& party, std::size_t bytes);
  };

  Set count_in(negentropy::ItemSet set) const;
  Set lend(Set set, const Party& party) const;
  Set find(const Question& question, core::UnixSeconds now);
  void remember(Question question, core::UnixSeconds now, const Set& set);

  const store::EventStore& store_;
  const ItemSetLimits limits_;
  const std::shared_ptr<Ledger> ledger_ = std::make_shared<Ledger>();
  std::mutex mutex_;  // guards known_
  std::vector<Known> known_;
};

// One set on its way. Any thread, one at a time.
class ItemSets::Making {
 public:
  // The sets outlive it.
  Making(ItemSets& sets, nostr::Filter filter, const Party& party);
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() { count(0); }

  // Nothing: call again.
  std::optional<Answer> step(const store::Budget& slice, core::UnixSeconds now);

 private:
  std::optional<Answer> read(const store::Budget& slice, core::UnixSeconds now);
  bool is_crowded_out() const;
  void count(std::size_t bytes);
  Answer finish(core::UnixSeconds now);

  ItemSets& sets_;
  const Party party_;
  Question question_;
  store::Survey survey_;
  std::optional<negentropy::ItemSetBuilder> builder_;
  std::size_t counted_ = 0;  // of its bytes
};

}  // namespace graspd::serve
