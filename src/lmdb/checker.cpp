#include "lmdb/checker.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::lmdb {
namespace {

constexpr std::size_t kProblemsToldMax = 100;

bool equal(const std::optional<Bytes>& found, Bytes expected) {
  return found && std::equal(found->begin(), found->end(), expected.begin(), expected.end());
}

}  // namespace

CheckReport Checker::run() {
  DbCursor cursor(txn_, tables_.events);
  MDB_val key{}, value{};
  for (bool there = cursor.move(MDB_FIRST, key, value); there;
       there = cursor.move(MDB_NEXT, key, value)) {
    store::Serial serial = 0;
    if (key.mv_size != sizeof serial) throw Failed{MDB_CORRUPTED};
    std::memcpy(&serial, key.mv_data, sizeof serial);
    check_event(serial, to_bytes(value));
  }
  expect_size(tables_.ids, "ids", report_.events);
  expect_size(tables_.time, "time", time_);
  expect_size(tables_.kind, "kind", kind_);
  expect_size(tables_.author_kind, "author_kind", author_kind_);
  expect_size(tables_.tag, "tag", tag_);
  expect_size(tables_.address, "address", addresses_);
  expect_size(tables_.expiration, "expiration", expirations_);
  return std::move(report_);
}

void Checker::check_event(store::Serial serial, Bytes bytes) {
  ++report_.events;
  expect(serial <= newest_serial(txn_, tables_), serial, "has a serial that was never given out");
  const auto record = RecordView::parse(bytes);
  expect(record.has_value(), serial, "cannot be read");
  if (!record) return;
  check_places(serial, *record);
  check_content(serial, *record, bytes);
}

void Checker::check_places(store::Serial serial, const RecordView& record) {
  const EntryBytes entry = encode(entry_of(record, serial));
  expect(equal(txn_.get(tables_.ids, record.id().bytes()), without_id(entry)), serial,
         "is not found by its id");
  if (const auto address = address_key_of(record)) {
    ++addresses_;
    expect(equal(txn_.get(tables_.address, address->view()), entry), serial,
           "is not found by its address");
  }
  if (const auto expiration = record.expiration(); expiration != 0) {
    ++expirations_;
    expect(txn_.get(tables_.expiration, expiration_key(expiration, serial).view()).has_value(),
           serial, "is not in the list of those that expire");
  }
  placements_of(record, placements_);
  for (const Placement& place : placements_) {
    switch (place.index) {
      case IndexName::Time:
        ++time_;
        break;
      case IndexName::Kind:
        ++kind_;
        break;
      case IndexName::AuthorKind:
        ++author_kind_;
        break;
      case IndexName::Tag:
        ++tag_;
        break;
    }
    expect(txn_.contains(tables_.index(place.index), place.key.view(), entry), serial,
           "is missing in an index");
  }
}

void Checker::check_content(store::Serial serial, const RecordView& record, Bytes bytes) {
  auto event = json_.event(record.json());
  expect(static_cast<bool>(event), serial, "is not valid JSON");
  if (!event) return;
  encode_record({*event, std::string(record.json())}, encoded_);
  expect(std::equal(bytes.begin(), bytes.end(), encoded_.begin(), encoded_.end()), serial,
         "differs from its JSON");
  expect(nostr::id_is_right(*event), serial, "has an id that is not that of its content");
  if (options_.signatures) {
    expect(nostr::signature_is_right(*event), serial, "has a wrong signature");
  }
}

void Checker::expect(bool good, store::Serial serial, std::string_view problem) {
  if (!good) report(fmt::format("event number {} {}", serial, problem));
}

void Checker::expect_size(MDB_dbi dbi, std::string_view name, std::uint64_t expected) {
  const std::uint64_t found = txn_.entries(dbi);
  if (found == expected) return;
  report(fmt::format("index {} has {} entries, but the events have {}", name, found, expected));
}

void Checker::report(std::string problem) {
  ++report_.problems;
  if (report_.first_problems.size() < kProblemsToldMax) {
    report_.first_problems.push_back(std::move(problem));
  }
}

}  // namespace graspd::lmdb
