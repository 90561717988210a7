// The outcome of an event according to the tables, in the order of W8 of store/event_store.h.
#pragma once
#include "lmdb/tables.h"

namespace graspd::lmdb {

// Deletions and requests to vanish cannot be deleted.
bool is_undeletable(nostr::Kind kind);
// A time kept for a key, when it is at or after the one asked about.
bool covers(const Txn& txn, MDB_dbi dbi, Bytes key, core::UnixSeconds created_at);

class Judge {
 public:
  using MaybeAddress = std::optional<Key>;

  Judge(const Txn& txn, const Tables& tables) : txn_(txn), tables_(tables) {}

  store::Outcome judge(const RecordView& record, const MaybeAddress& address,
                       core::UnixSeconds now) const;
  // The version of that address that is kept.
  std::optional<EntryBytes> holder_of(const MaybeAddress& address) const;

 private:
  bool has_vanished(Bytes pubkey, core::UnixSeconds created_at) const;
  bool is_vanished(const RecordView& record) const;
  bool is_deleted(const RecordView& record, const MaybeAddress& address) const;

  const Txn& txn_;
  const Tables& tables_;
};

}  // namespace graspd::lmdb
