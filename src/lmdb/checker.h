// Performs the check that check.h describes, on one read transaction.
#pragma once
#include "lmdb/check.h"
#include "lmdb/tables.h"
#include "nostr/json.h"

namespace graspd::lmdb {

class Checker {
 public:
  Checker(const Txn& txn, const Tables& tables, const CheckOptions& options)
      : txn_(txn), tables_(tables), options_(options) {}

  CheckReport run();

 private:
  void check_event(store::Serial serial, Bytes bytes);
  void check_places(store::Serial serial, const RecordView& record);
  void check_content(store::Serial serial, const RecordView& record, Bytes bytes);
  void expect(bool good, store::Serial serial, std::string_view problem);
  void expect_size(MDB_dbi dbi, std::string_view name, std::uint64_t expected);
  void report(std::string problem);

  const Txn& txn_;
  const Tables& tables_;
  CheckOptions options_;
  CheckReport report_;
  nostr::JsonReader json_;
  std::vector<Placement> placements_;
  std::vector<std::uint8_t> encoded_;
  std::uint64_t time_ = 0, kind_ = 0, author_kind_ = 0, tag_ = 0, addresses_ = 0, expirations_ = 0;
};

}  // namespace graspd::lmdb
