// A database as ngit-grasp writes it, for tests: events in the unnamed table, others beside them.
#pragma once
#include <filesystem>
#include <string>

#include "app/import_ngit/flat_testing.h"
#include "lmdb/env.h"

namespace graspd::lmdb::testing {

class NgitWriter {
 public:
  explicit NgitWriter(const std::string& directory)
      : env_({made(directory), MDB_NOSYNC, 1 << 24, 16}) {}

  void put(const char* table, Bytes key, Bytes value) {
    Txn txn(env_, Txn::Mode::Write);
    MDB_dbi dbi = 0;
    check(mdb_dbi_open(txn.get(), table, table ? MDB_CREATE : 0, &dbi));
    txn.put(dbi, key, value);
    txn.commit();
  }
  void put(const nostr::Event& event) {
    put(nullptr, event.id.bytes(), nostr::testing::FlatWriter::event(event));
  }

 private:
  static std::string made(const std::string& directory) {
    std::filesystem::create_directories(directory);
    return directory;
  }
  Env env_;
};

}  // namespace graspd::lmdb::testing
