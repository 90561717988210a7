// LMDB's objects with lifetimes. Used inside lmdb/ only.
//
//   R1  A call that fails throws Failed. The exception never leaves this folder: LmdbStore and its
//       snapshots turn it into a StoreError, everything else passes it on.
//   R2  A transaction that was not committed is aborted.
#pragma once
#include <lmdb.h>
#include <memory>
#include <optional>
#include <string>

#include "lmdb/keys.h"
#include "store/event_store.h"

namespace graspd::lmdb {

struct Failed {
  int code;
};
inline void check(int code) {
  if (code != MDB_SUCCESS) throw Failed{code};
}
store::StoreError to_store_error(int code);
std::string sentence(int code);

inline MDB_val to_val(Bytes bytes) {
  return {bytes.size(), const_cast<std::uint8_t*>(bytes.data())};
}
inline Bytes to_bytes(const MDB_val& val) {
  return {static_cast<const std::uint8_t*>(val.mv_data), val.mv_size};
}
template <class T>
Bytes bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

class Env {
 public:
  struct Options {
    std::string directory;
    unsigned flags = 0;
    std::size_t map_bytes = 0;
    unsigned readers = 0;
  };
  explicit Env(const Options& options);

  MDB_env* get() const { return env_.get(); }
  std::size_t map_bytes() const;
  void set_map_bytes(
      std::size_t bytes);  // 0: what another process has set. No transaction may be open
  std::size_t used_bytes() const;
  void clear_stale_readers();
  void sync();
  // Into an existing directory, beside readers and the writer.
  void copy(const std::string& directory, bool compact) const;

 private:
  struct Close {
    void operator()(MDB_env* env) const { mdb_env_close(env); }
  };
  std::unique_ptr<MDB_env, Close> env_;
};

class Txn {
 public:
  enum class Mode { Read, Write };
  Txn(const Env& env, Mode mode);

  MDB_txn* get() const { return txn_.get(); }
  std::uint64_t base() const;  // the transaction whose outcome it sees
  void commit();

  std::optional<Bytes> get(MDB_dbi dbi, Bytes key) const;
  bool contains(MDB_dbi dbi, Bytes key, Bytes value) const;  // of a database with several values
  void put(MDB_dbi dbi, Bytes key, Bytes value, unsigned flags = 0);
  void erase(MDB_dbi dbi, Bytes key);  // what is not there stays away
  void erase(MDB_dbi dbi, Bytes key, Bytes value);
  std::uint64_t entries(MDB_dbi dbi) const;

 private:
  struct Abort {
    void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
  };
  std::unique_ptr<MDB_txn, Abort> txn_;
  Mode mode_;
};

// Must not outlive its transaction.
class DbCursor {
 public:
  DbCursor(const Txn& txn, MDB_dbi dbi);

  // Moves as `op` says; false when there is nothing. `key` and `value` are read and written.
  bool move(MDB_cursor_op op, MDB_val& key, MDB_val& value);
  void put(Bytes key, Bytes value);
  MDB_cursor* get() const { return cursor_.get(); }

 private:
  struct Close {
    void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
  };
  std::unique_ptr<MDB_cursor, Close> cursor_;
};

}  // namespace graspd::lmdb
