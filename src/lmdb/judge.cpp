#include "lmdb/judge.h"

#include <cstring>

#include "nostr/replaceable.h"

namespace graspd::lmdb {

using store::Outcome;

bool is_undeletable(nostr::Kind kind) {
  return kind == nostr::kinds::kDeletion || kind == nostr::kinds::kVanish;
}

bool covers(const Txn& txn, MDB_dbi dbi, Bytes key, core::UnixSeconds created_at) {
  const auto until = get_number(txn, dbi, key);
  return until && created_at <= static_cast<core::UnixSeconds>(*until);
}

store::Outcome Judge::judge(const RecordView& record, const MaybeAddress& address,
                            core::UnixSeconds now) const {
  if (record.is_expired(now)) return Outcome::Expired;
  if (txn_.get(tables_.ids, record.id().bytes())) return Outcome::Duplicate;
  if (tables_.obeys_requests && is_vanished(record)) return Outcome::Vanished;
  if (tables_.obeys_requests && is_deleted(record, address)) return Outcome::Deleted;
  const auto holder = holder_of(address);
  if (!holder) return Outcome::Stored;
  const store::Position held = position_of(*holder);
  const bool wins = nostr::wins({record.created_at(), record.id()}, {held.created_at, held.id});
  return wins ? Outcome::Stored : Outcome::Superseded;
}

bool Judge::has_vanished(Bytes pubkey, core::UnixSeconds created_at) const {
  return covers(txn_, tables_.vanished, pubkey, created_at);
}

bool Judge::is_vanished(const RecordView& record) const {
  if (has_vanished(record.pubkey().bytes(), record.created_at())) return true;
  if (record.kind() != nostr::kinds::kGiftWrap) return false;
  bool vanished = false;
  record.for_each_tag([&](char letter, std::string_view value) {
    const auto reader = letter == 'p' ? nostr::PublicKey::from_hex(value) : std::nullopt;
    vanished = reader && has_vanished(reader->bytes(), record.created_at());
    return !vanished;
  });
  return vanished;
}

bool Judge::is_deleted(const RecordView& record, const MaybeAddress& address) const {
  if (is_undeletable(record.kind())) return false;
  const Key by_id = deleted_id_key(record.id(), record.pubkey());
  if (txn_.get(tables_.deleted_ids, by_id.view())) return true;
  // Taken over from another server: by whomever.
  if (txn_.get(tables_.deleted_ids, record.id().bytes())) return true;
  return address && covers(txn_, tables_.deleted_addresses, address->view(), record.created_at());
}

std::optional<EntryBytes> Judge::holder_of(const MaybeAddress& address) const {
  if (!address) return std::nullopt;
  const auto bytes = txn_.get(tables_.address, address->view());
  if (!bytes) return std::nullopt;
  EntryBytes entry;
  if (bytes->size() != entry.size()) throw Failed{MDB_CORRUPTED};
  std::memcpy(entry.data(), bytes->data(), entry.size());
  return entry;
}

}  // namespace graspd::lmdb
