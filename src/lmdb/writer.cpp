#include "lmdb/writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "lmdb/judge.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::lmdb {
namespace {

using store::Outcome;
using store::Serial;

// Keeps the later of the time that is there and the one given.
void put_latest(Txn& txn, MDB_dbi dbi, Bytes key, core::UnixSeconds time) {
  if (!covers(txn, dbi, key, time)) put_number(txn, dbi, key, static_cast<std::uint64_t>(time));
}

EntryBytes to_entry(const MDB_val& value) {
  EntryBytes entry;
  if (value.mv_size != entry.size()) throw Failed{MDB_CORRUPTED};
  std::memcpy(entry.data(), value.mv_data, entry.size());
  return entry;
}

}  // namespace

Writer::Writer(const Env& env, const Tables& tables)
    : tables_(tables),
      txn_(env, Txn::Mode::Write),
      newest_(newest_serial(txn_, tables)),
      newest_before_(newest_) {}

store::Written Writer::write(const store::Write& write, core::UnixSeconds now) {
  const nostr::Event& event = write.event->event;
  encode_record(*write.event, record_);
  const auto record = RecordView::parse(record_);
  CHECK(record);
  const MaybeAddress address = address_key_of(*record);
  const Outcome outcome = Judge(txn_, tables_).judge(*record, address, now);
  if (outcome != Outcome::Stored) return {outcome, 0};
  insert(*record, address);
  const Serial serial = newest_;
  if (!tables_.obeys_requests) return {Outcome::Stored, serial};
  if (event.kind == nostr::kinds::kDeletion) apply_deletion(event);
  if (write.vanish) apply_vanish(event);
  return {Outcome::Stored, serial};
}

void Writer::insert(const RecordView& record, const MaybeAddress& address) {
  if (const auto holder = Judge(txn_, tables_).holder_of(address)) remove(serial_of(*holder));

  CHECK(newest_ < kSerialMax);
  const Serial serial = ++newest_;
  const EntryBytes entry = encode(entry_of(record, serial));
  txn_.put(tables_.events, bytes_of(serial), record_, MDB_APPEND);
  txn_.put(tables_.ids, record.id().bytes(), without_id(entry), MDB_NOOVERWRITE);
  if (address) txn_.put(tables_.address, address->view(), entry);
  if (record.expiration() != 0) {
    txn_.put(tables_.expiration, expiration_key(record.expiration(), serial).view(), {});
  }
  placements_of(record, placements_);
  for (const Placement& place : placements_) pending_.push_back({place.index, place.key, entry});
}

void Writer::remove(Serial serial) {
  if (serial > newest_before_) put_pending();
  const RecordView record = load_record(txn_, tables_, serial);
  const EntryBytes entry = encode(entry_of(record, serial));
  placements_of(record, placements_);
  const auto address = address_key_of(record);
  const nostr::EventId id = record.id();
  const core::UnixSeconds expiration = record.expiration();

  // From here on the record's memory may change.
  for (const Placement& place : placements_) {
    txn_.erase(tables_.index(place.index), place.key.view(), entry);
  }
  if (address) txn_.erase(tables_.address, address->view());
  if (expiration != 0) txn_.erase(tables_.expiration, expiration_key(expiration, serial).view());
  txn_.erase(tables_.ids, id.bytes());
  txn_.erase(tables_.events, bytes_of(serial));
}

void Writer::put_pending() {
  std::sort(pending_.begin(), pending_.end(), [](const Pending& a, const Pending& b) {
    if (a.index != b.index) return a.index < b.index;
    const int order = a.key.compare(b.key);
    return order != 0 ? order < 0 : a.entry < b.entry;
  });
  std::optional<DbCursor> cursor;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& next = pending_[i];
    if (i == 0 || pending_[i - 1].index != next.index) {
      cursor.emplace(txn_, tables_.index(next.index));
    }
    cursor->put(next.key.view(), next.entry);
  }
  pending_.clear();
}

void Writer::apply_deletion(const nostr::Event& deletion) {
  const nostr::Deletions asked = nostr::requested_deletions(deletion);
  for (const nostr::EventId& id : asked.ids) delete_id(id, deletion);
  for (const nostr::Address& address : asked.addresses) delete_address(address, deletion);
}

void Writer::delete_id(const nostr::EventId& id, const nostr::Event& deletion) {
  put_latest(txn_, tables_.deleted_ids, deleted_id_key(id, deletion.pubkey).view(),
             deletion.created_at);
  const auto entry = find_entry(txn_, tables_, id);
  if (!entry || is_undeletable(kind_of(*entry))) return;
  const Serial serial = serial_of(*entry);
  if (load_record(txn_, tables_, serial).pubkey() == deletion.pubkey) remove(serial);
}

void Writer::delete_address(const nostr::Address& address, const nostr::Event& deletion) {
  const Key key = address_key(address.kind, address.pubkey, address.identifier);
  put_latest(txn_, tables_.deleted_addresses, key.view(), deletion.created_at);
  const auto holder = Judge(txn_, tables_).holder_of(key);
  if (holder && created_at_of(*holder) <= deletion.created_at) remove(serial_of(*holder));
}

void Writer::apply_vanish(const nostr::Event& request) {
  const Serial own = newest_;
  put_latest(txn_, tables_.vanished, request.pubkey.bytes(), request.created_at);
  put_pending();

  std::vector<Serial> doomed;
  DbCursor cursor(txn_, tables_.author_kind);
  const Key first = author_kind_key(request.pubkey, {0});
  MDB_val key = to_val(first.view()), value{};
  for (bool found = cursor.move(MDB_SET_RANGE, key, value); found;
       found = cursor.move(MDB_NEXT_NODUP, key, value)) {
    const Bytes at = to_bytes(key);
    if (std::memcmp(at.data(), request.pubkey.data(), nostr::PublicKey::kSize) != 0) break;
    collect(IndexName::AuthorKind, author_kind_key(request.pubkey, kind_of_author_kind_key(at)),
            request.created_at, std::nullopt, doomed);
  }
  collect(IndexName::Tag, tag_key('p', request.pubkey.hex()), request.created_at,
          nostr::kinds::kGiftWrap, doomed);

  std::sort(doomed.begin(), doomed.end());
  doomed.erase(std::unique(doomed.begin(), doomed.end()), doomed.end());
  for (const Serial serial : doomed) {
    if (serial != own) remove(serial);
  }
}

void Writer::collect(IndexName index, const Key& key, core::UnixSeconds until,
                     std::optional<nostr::Kind> kind, std::vector<Serial>& out) const {
  const EntryBytes from = first_at(until);
  DbCursor cursor(txn_, tables_.index(index));
  MDB_val k = to_val(key.view()), value = to_val(from);
  for (bool found = cursor.move(MDB_GET_BOTH_RANGE, k, value); found;
       found = cursor.move(MDB_NEXT_DUP, k, value)) {
    const EntryBytes entry = to_entry(value);
    if (!kind || kind_of(entry) == *kind) out.push_back(serial_of(entry));
  }
}

std::size_t Writer::remove_expired(core::UnixSeconds now, std::size_t max) {
  std::vector<Serial> doomed;
  {
    DbCursor cursor(txn_, tables_.expiration);
    MDB_val key{}, value{};
    for (bool found = cursor.move(MDB_FIRST, key, value); found && doomed.size() < max;
         found = cursor.move(MDB_NEXT, key, value)) {
      const ExpirationKey due = decode_expiration_key(to_bytes(key));
      if (due.time > now) break;
      doomed.push_back(due.serial);
    }
  }
  for (const Serial serial : doomed) remove(serial);
  return doomed.size();
}

void Writer::take_out(const nostr::EventId& id) {
  if (const auto entry = find_entry(txn_, tables_, id)) remove(serial_of(*entry));
}

// What other deletions of its author ask for stays as it is.
void Writer::lift_deletion(const nostr::Event& deletion) {
  std::vector<Serial> serials;
  collect(IndexName::AuthorKind, author_kind_key(deletion.pubkey, deletion.kind),
          std::numeric_limits<core::UnixSeconds>::max(), std::nullopt, serials);
  std::set<nostr::EventId> ids;
  std::map<nostr::Address, core::UnixSeconds> addresses;
  for (const Serial serial : serials) {
    const auto other = nostr::JsonReader().event(load_record(txn_, tables_, serial).json());
    if (!other) throw Failed{MDB_CORRUPTED};
    const nostr::Deletions asked = nostr::requested_deletions(*other);
    ids.insert(asked.ids.begin(), asked.ids.end());
    for (const nostr::Address& address : asked.addresses) {
      auto& until = addresses.try_emplace(address, other->created_at).first->second;
      until = std::max(until, other->created_at);
    }
  }
  const nostr::Deletions asked = nostr::requested_deletions(deletion);
  for (const nostr::EventId& id : asked.ids)
    if (!ids.contains(id))
      txn_.erase(tables_.deleted_ids, deleted_id_key(id, deletion.pubkey).view());
  for (const nostr::Address& address : asked.addresses) {
    const Key key = address_key(address.kind, address.pubkey, address.identifier);
    const auto until = get_number(txn_, tables_.deleted_addresses, key.view());
    if (!until || static_cast<core::UnixSeconds>(*until) != deletion.created_at) continue;
    txn_.erase(tables_.deleted_addresses, key.view());
    if (const auto other = addresses.find(address); other != addresses.end())
      put_latest(txn_, tables_.deleted_addresses, key.view(), other->second);
  }
}

void Writer::revoke(const nostr::EventId& id) {
  put_pending();
  const auto entry = find_entry(txn_, tables_, id);
  if (!entry) return;
  const Serial serial = serial_of(*entry);
  if (!is_undeletable(kind_of(*entry))) return remove(serial);
  const auto request = nostr::JsonReader().event(load_record(txn_, tables_, serial).json());
  if (!request) throw Failed{MDB_CORRUPTED};
  remove(serial);
  if (request->kind == nostr::kinds::kDeletion) return lift_deletion(*request);
  const Bytes who = request->pubkey.bytes();
  const auto until = get_number(txn_, tables_.vanished, who);
  if (until && static_cast<core::UnixSeconds>(*until) == request->created_at)
    txn_.erase(tables_.vanished, who);
}

void Writer::note(const store::Note& note) {
  CHECK(note.key.size() <= store::kNoteKeyMax);
  if (note.value)
    txn_.put(tables_.notes, name_key(note.key), name_key(*note.value));
  else
    txn_.erase(tables_.notes, name_key(note.key));
}

void Writer::refuse(const Refusals& refusals) {
  for (const nostr::EventId& id : refusals.ids)
    put_latest(txn_, tables_.deleted_ids, id.bytes(), 0);
  for (const auto& [address, until] : refusals.addresses) {
    const Key key = address_key(address.kind, address.pubkey, address.identifier);
    put_latest(txn_, tables_.deleted_addresses, key.view(), until);
  }
}

void Writer::commit() {
  put_pending();
  if (newest_ != newest_before_) set_newest_serial(txn_, tables_, newest_);
  txn_.commit();
}

}  // namespace graspd::lmdb
