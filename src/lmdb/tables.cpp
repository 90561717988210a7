#include "lmdb/tables.h"

#include <cstring>

namespace graspd::lmdb {
namespace {

constexpr std::string_view kNewestSerial = "newest-serial";
constexpr unsigned kEntries = MDB_DUPSORT | MDB_DUPFIXED;

MDB_dbi open(Txn& txn, const char* name, unsigned flags, Missing missing) {
  MDB_dbi dbi = 0;
  check(mdb_dbi_open(txn.get(), name, flags | (missing == Missing::Create ? MDB_CREATE : 0), &dbi));
  return dbi;
}

}  // namespace

MDB_dbi Tables::index(IndexName name) const {
  switch (name) {
    case IndexName::Time:
      return time;
    case IndexName::Kind:
      return kind;
    case IndexName::AuthorKind:
      return author_kind;
    case IndexName::Tag:
      return tag;
  }
  CHECK(false);
}

MDB_dbi open_meta(Txn& txn, Missing missing) { return open(txn, "meta", 0, missing); }

Tables open_tables(Txn& txn, Missing missing) {
  Tables tables;
  tables.meta = open_meta(txn, missing);
  tables.events = open(txn, "events", MDB_INTEGERKEY, missing);
  tables.ids = open(txn, "ids", 0, missing);
  tables.time = open(txn, "time", kEntries, missing);
  tables.kind = open(txn, "kind", kEntries, missing);
  tables.author_kind = open(txn, "author_kind", kEntries, missing);
  tables.tag = open(txn, "tag", kEntries, missing);
  tables.address = open(txn, "address", 0, missing);
  tables.expiration = open(txn, "expiration", 0, missing);
  tables.deleted_ids = open(txn, "deleted_ids", 0, missing);
  tables.deleted_addresses = open(txn, "deleted_addresses", 0, missing);
  tables.vanished = open(txn, "vanished", 0, missing);
  tables.notes = open(txn, "notes", 0, missing);
  return tables;
}

std::optional<std::uint64_t> get_number(const Txn& txn, MDB_dbi dbi, Bytes key) {
  const auto bytes = txn.get(dbi, key);
  if (!bytes) return std::nullopt;
  std::uint64_t value = 0;
  if (bytes->size() != sizeof value) throw Failed{MDB_CORRUPTED};
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

void put_number(Txn& txn, MDB_dbi dbi, Bytes key, std::uint64_t value) {
  txn.put(dbi, key, bytes_of(value));
}

store::Serial newest_serial(const Txn& txn, const Tables& tables) {
  return get_number(txn, tables.meta, name_key(kNewestSerial)).value_or(0);
}

void set_newest_serial(Txn& txn, const Tables& tables, store::Serial serial) {
  put_number(txn, tables.meta, name_key(kNewestSerial), serial);
}

RecordView load_record(const Txn& txn, const Tables& tables, store::Serial serial) {
  const auto bytes = txn.get(tables.events, bytes_of(serial));
  if (!bytes) throw Failed{MDB_CORRUPTED};
  const auto record = RecordView::parse(*bytes);
  if (!record) throw Failed{MDB_CORRUPTED};
  return *record;
}

std::optional<EntryBytes> find_entry(const Txn& txn, const Tables& tables,
                                     const nostr::EventId& id) {
  const auto bytes = txn.get(tables.ids, id.bytes());
  if (!bytes) return std::nullopt;
  EntryWithoutId rest;
  if (bytes->size() != rest.size()) throw Failed{MDB_CORRUPTED};
  std::memcpy(rest.data(), bytes->data(), rest.size());
  return with_id(rest, id);
}

}  // namespace graspd::lmdb
