// The store without cleverness: a list of events and loops over it. It is the specification that
// other backends are compared with, and the store of simulations.
//
//   R1  Every write makes a new state; a snapshot keeps the one it was taken from.
#pragma once
#include <map>
#include <set>
#include <utility>

#include "nostr/address.h"
#include "store/event_store.h"

namespace graspd::store {

class MemoryStore final : public EventStore {
 public:
  MemoryStore();

  using EventStore::write;
  core::Result<std::vector<Written>, StoreError> write(const Batch& batch,
                                                       core::UnixSeconds now) override;
  core::Result<std::size_t, StoreError> remove_expired(core::UnixSeconds now,
                                                       std::size_t max) override;
  core::Result<std::unique_ptr<Snapshot>, StoreError> snapshot() const override;
  Serial newest() const override;

  struct Kept {
    Serial serial = 0;
    nostr::WireEventPtr wire;
    const nostr::Event& event() const { return wire->event; }
  };
  struct State {
    std::vector<Kept> kept;  // in order of serial
    std::set<std::pair<nostr::EventId, nostr::PublicKey>> deleted_ids;
    std::map<nostr::Address, core::UnixSeconds> deleted_addresses;
    std::map<nostr::PublicKey, core::UnixSeconds> vanished;
    std::map<std::string, std::string, std::less<>> notes;
    Serial newest = 0;
  };
  static Outcome judge(const State& state, const nostr::Event& event, core::UnixSeconds now);

 private:
  std::shared_ptr<const State> state() const;
  void publish(State state);

  std::shared_ptr<const State> state_;  // swapped as a whole, so that any thread may take it
};

}  // namespace graspd::store
