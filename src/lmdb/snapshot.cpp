#include "lmdb/snapshot.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "lmdb/answer.h"
#include "lmdb/judge.h"
#include "lmdb/survey.h"

namespace graspd::lmdb {
namespace {

template <class Work>
auto attempt(const Work& work) -> core::Result<decltype(work()), store::StoreError> {
  try {
    return work();
  } catch (const Failed& failed) {
    return core::Failure{to_store_error(failed.code)};
  }
}

// Positions shown in one call by a scan: few enough to stay in the first-level cache.
constexpr std::size_t kScannedTogether = 128;

store::Found found(store::Serial serial, const RecordView& record) {
  return {serial, {record.created_at(), record.id()}, record.pubkey(), record.json()};
}

store::Serial serial_from(const MDB_val& key) {
  store::Serial serial = 0;
  if (key.mv_size != sizeof serial) throw Failed{MDB_CORRUPTED};
  std::memcpy(&serial, key.mv_data, sizeof serial);
  return serial;
}

}  // namespace

bool LmdbSnapshot::contains(const nostr::EventId& id) const {
  const auto found = attempt([&] { return txn_.get(tables_.ids, id.bytes()).has_value(); });
  return found && *found;
}

std::optional<std::string> LmdbSnapshot::find_json(const nostr::EventId& id) const {
  auto found = attempt([&]() -> std::optional<std::string> {
    const auto entry = find_entry(txn_, tables_, id);
    if (!entry) return std::nullopt;
    return std::string(load_record(txn_, tables_, serial_of(*entry)).json());
  });
  return found ? *std::move(found) : std::nullopt;
}

core::Result<store::ReadState, store::StoreError> LmdbSnapshot::read(store::Cursor& cursor,
                                                                     const store::Budget& budget,
                                                                     core::UnixSeconds now,
                                                                     const Visitor& visit) const {
  return attempt([&] { return Answer(txn_, tables_, cursor, budget).run(now, visit); });
}

core::Result<store::ReadState, store::StoreError> LmdbSnapshot::count(
    store::Survey& survey, const store::Budget& budget, core::UnixSeconds now,
    const AuthorVisitor& pubkeys) const {
  return attempt([&] {
    SurveySlice slice(txn_, tables_, survey, budget, now);
    if (!pubkeys) return slice.run(kPlainEntries, [](const EntryBytes&) {});
    return slice.run(1, [&](const EntryBytes& entry) {
      pubkeys(load_record(txn_, tables_, serial_of(entry)).pubkey());
    });
  });
}

core::Result<store::ReadState, store::StoreError> LmdbSnapshot::scan(
    store::Survey& survey, const store::Budget& budget, core::UnixSeconds now,
    const PositionVisitor& visit) const {
  return attempt([&] {
    std::array<store::Position, kScannedTogether> some;
    std::size_t held = 0;
    SurveySlice slice(txn_, tables_, survey, budget, now);
    const auto state = slice.run(kPlainEntries, [&](const EntryBytes& entry) {
      some[held++] = position_of(entry);
      if (held == some.size()) visit({some.data(), std::exchange(held, 0)});
    });
    if (held > 0) visit({some.data(), held});
    return state;
  });
}

core::Result<core::Done, store::StoreError> LmdbSnapshot::replay(store::Serial after,
                                                                 std::size_t max,
                                                                 const Visitor& visit) const {
  return attempt([&] {
    const store::Serial first = std::min(after, kSerialMax) + 1;
    DbCursor cursor(txn_, tables_.events);
    MDB_val key = to_val(bytes_of(first)), value{};
    bool there = cursor.move(MDB_SET_RANGE, key, value);
    for (std::size_t shown = 0; there && shown < max; ++shown) {
      const auto record = RecordView::parse(to_bytes(value));
      if (!record) throw Failed{MDB_CORRUPTED};
      visit(found(serial_from(key), *record));
      there = cursor.move(MDB_NEXT, key, value);
    }
    return core::Done{};
  });
}

core::Result<store::Outcome, store::StoreError> LmdbSnapshot::judge(const nostr::WireEvent& event,
                                                                    core::UnixSeconds now) const {
  return attempt([&] {
    std::vector<std::uint8_t> bytes;
    encode_record(event, bytes);
    const auto record = RecordView::parse(bytes);
    CHECK(record);
    return Judge(txn_, tables_).judge(*record, address_key_of(*record), now);
  });
}

core::Result<core::Done, store::StoreError> LmdbSnapshot::notes(std::string_view prefix,
                                                                const NoteVisitor& visit) const {
  return attempt([&] {
    DbCursor cursor(txn_, tables_.notes);
    MDB_val key = to_val(name_key(prefix)), value{};
    const MDB_cursor_op first = prefix.empty() ? MDB_FIRST : MDB_SET_RANGE;
    for (bool there = cursor.move(first, key, value); there;
         there = cursor.move(MDB_NEXT, key, value)) {
      const std::string_view name(static_cast<const char*>(key.mv_data), key.mv_size);
      if (!name.starts_with(prefix)) break;
      visit(name, {static_cast<const char*>(value.mv_data), value.mv_size});
    }
    return core::Done{};
  });
}

std::uint64_t LmdbSnapshot::size() const {
  const auto entries = attempt([&] { return txn_.entries(tables_.events); });
  return entries ? *entries : 0;
}

}  // namespace graspd::lmdb
