// One write transaction: the rules W1–W11 of store/event_store.h on the tables.
//
//   R1  Entries of the ordered indexes are collected and written at the end in the order of their
//       keys, so that neighbours share the pages they touch. Before these indexes are read, or an
//       event of the same transaction is removed, the collected entries are written.
#pragma once
#include "lmdb/refusals.h"
#include "lmdb/tables.h"
#include "nostr/address.h"

namespace graspd::lmdb {

class Writer {
 public:
  Writer(const Env& env, const Tables& tables);

  store::Written write(const store::Write& write, core::UnixSeconds now);
  void take_out(const nostr::EventId& id);
  void revoke(const nostr::EventId& id);
  void note(const store::Note& note);
  void refuse(const Refusals& refusals);
  std::size_t remove_expired(core::UnixSeconds now, std::size_t max);

  store::Serial newest() const { return newest_; }
  void commit();

 private:
  struct Pending {
    IndexName index;
    Key key;
    EntryBytes entry;
  };

  using MaybeAddress = std::optional<Key>;  // hashed once per event

  void insert(const RecordView& record, const MaybeAddress& address);
  void remove(store::Serial serial);
  void put_pending();

  void apply_deletion(const nostr::Event& deletion);
  void delete_id(const nostr::EventId& id, const nostr::Event& deletion);
  void delete_address(const nostr::Address& address, const nostr::Event& deletion);
  void apply_vanish(const nostr::Event& request);
  void lift_deletion(const nostr::Event& deletion);
  // Serials under one key, up to a time; `kind` when only that kind is meant.
  void collect(IndexName index, const Key& key, core::UnixSeconds until,
               std::optional<nostr::Kind> kind, std::vector<store::Serial>& out) const;

  Tables tables_;
  Txn txn_;
  store::Serial newest_, newest_before_;
  std::vector<std::uint8_t> record_;  // the event being written
  std::vector<Placement> placements_;
  std::vector<Pending> pending_;
};

}  // namespace graspd::lmdb
