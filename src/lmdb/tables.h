// The databases inside the one file, and the numbers that belong to all of them.
//
//   events             serial                          -> record
//   ids                id                              -> entry without its id
//   time               one key                         -> entries
//   kind               kind                            -> entries
//   author_kind        author, kind                    -> entries
//   tag                letter, hash of the value       -> entries
//   address            kind, author, hash of `d`       -> entry of the version that is kept
//   expiration         time, serial                    -> nothing
//   deleted_ids        id, author of the deletion      -> created_at of the deletion
//   deleted_addresses  as address                      -> created_at of the newest deletion
//   vanished           author                          -> created_at of the newest request
//   notes              key of the server's own         -> text
//   meta               name                            -> number
//
//   R1  The last serial used is kept in meta: it must not be reused after its event is removed.
#pragma once
#include "lmdb/env.h"
#include "lmdb/record.h"

namespace graspd::lmdb {

struct Tables {
  MDB_dbi meta, events, ids, time, kind, author_kind, tag, address, expiration, deleted_ids,
      deleted_addresses, vanished, notes;
  bool obeys_requests = true;  // of deletions and requests to vanish (lmdb_store.h)

  MDB_dbi index(IndexName name) const;
};

enum class Missing { Create, Fail };
MDB_dbi open_meta(Txn& txn, Missing missing);
Tables open_tables(Txn& txn, Missing missing);

std::optional<std::uint64_t> get_number(const Txn& txn, MDB_dbi dbi, Bytes key);
void put_number(Txn& txn, MDB_dbi dbi, Bytes key, std::uint64_t value);
inline Bytes name_key(std::string_view name) {
  return {reinterpret_cast<const std::uint8_t*>(name.data()), name.size()};
}

store::Serial newest_serial(const Txn& txn, const Tables& tables);
void set_newest_serial(Txn& txn, const Tables& tables, store::Serial serial);

// What the other tables say is there must be there: absence is damage.
RecordView load_record(const Txn& txn, const Tables& tables, store::Serial serial);
std::optional<EntryBytes> find_entry(const Txn& txn, const Tables& tables,
                                     const nostr::EventId& id);

}  // namespace graspd::lmdb
