#include "lmdb/env.h"

#include <cerrno>

#include "lmdb/fault.h"

namespace graspd::lmdb {
namespace {

constexpr unsigned kDatabasesMax = 32;
constexpr mdb_mode_t kFileMode = 0640;

}  // namespace

store::StoreError to_store_error(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case MDB_MAP_FULL:
      return store::StoreError::DiskFull;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_BAD_VALSIZE:
    case MDB_PANIC:
      return store::StoreError::Corrupt;
    case MDB_READERS_FULL:
    case EBUSY:
    case EAGAIN:
      return store::StoreError::Busy;
    default:
      return store::StoreError::Io;
  }
}

std::string sentence(int code) { return mdb_strerror(code); }

Env::Env(const Options& options) {
  MDB_env* env = nullptr;
  check(mdb_env_create(&env));
  env_.reset(env);
  check(mdb_env_set_assert(env, [](MDB_env*, const char* what) { end_by_damage(what); }));
  check(mdb_env_set_maxdbs(env, kDatabasesMax));
  check(mdb_env_set_maxreaders(env, options.readers));
  check(mdb_env_set_mapsize(env, options.map_bytes));
  check(mdb_env_open(env, options.directory.c_str(), options.flags | MDB_NOTLS, kFileMode));
}

std::size_t Env::map_bytes() const {
  MDB_envinfo info{};
  check(mdb_env_info(get(), &info));
  return info.me_mapsize;
}

void Env::set_map_bytes(std::size_t bytes) { check(mdb_env_set_mapsize(get(), bytes)); }

std::size_t Env::used_bytes() const {
  MDB_envinfo info{};
  MDB_stat stat{};
  check(mdb_env_info(get(), &info));
  check(mdb_env_stat(get(), &stat));
  return (info.me_last_pgno + 1) * stat.ms_psize;
}

void Env::clear_stale_readers() {
  int cleared = 0;
  check(mdb_reader_check(get(), &cleared));
}

void Env::sync() { check(mdb_env_sync(get(), 1)); }

void Env::copy(const std::string& directory, bool compact) const {
  check(mdb_env_copy2(get(), directory.c_str(), compact ? MDB_CP_COMPACT : 0));
}

Txn::Txn(const Env& env, Mode mode) : mode_(mode) {
  MDB_txn* txn = nullptr;
  check(mdb_txn_begin(env.get(), nullptr, mode == Mode::Read ? MDB_RDONLY : 0, &txn));
  txn_.reset(txn);
}

std::uint64_t Txn::base() const { return mdb_txn_id(get()) - (mode_ == Mode::Write ? 1 : 0); }

void Txn::commit() { check(mdb_txn_commit(txn_.release())); }

std::optional<Bytes> Txn::get(MDB_dbi dbi, Bytes key) const {
  MDB_val k = to_val(key), value{};
  const int code = mdb_get(get(), dbi, &k, &value);
  if (code == MDB_NOTFOUND) return std::nullopt;
  check(code);
  return to_bytes(value);
}

bool Txn::contains(MDB_dbi dbi, Bytes key, Bytes value) const {
  MDB_val k = to_val(key), v = to_val(value);
  return DbCursor(*this, dbi).move(MDB_GET_BOTH, k, v);
}

void Txn::put(MDB_dbi dbi, Bytes key, Bytes value, unsigned flags) {
  MDB_val k = to_val(key), v = to_val(value);
  check(mdb_put(get(), dbi, &k, &v, flags));
}

void Txn::erase(MDB_dbi dbi, Bytes key) {
  MDB_val k = to_val(key);
  const int code = mdb_del(get(), dbi, &k, nullptr);
  if (code != MDB_NOTFOUND) check(code);
}

void Txn::erase(MDB_dbi dbi, Bytes key, Bytes value) {
  MDB_val k = to_val(key), v = to_val(value);
  const int code = mdb_del(get(), dbi, &k, &v);
  if (code != MDB_NOTFOUND) check(code);
}

std::uint64_t Txn::entries(MDB_dbi dbi) const {
  MDB_stat stat{};
  check(mdb_stat(get(), dbi, &stat));
  return stat.ms_entries;
}

DbCursor::DbCursor(const Txn& txn, MDB_dbi dbi) {
  MDB_cursor* cursor = nullptr;
  check(mdb_cursor_open(txn.get(), dbi, &cursor));
  cursor_.reset(cursor);
}

bool DbCursor::move(MDB_cursor_op op, MDB_val& key, MDB_val& value) {
  const int code = mdb_cursor_get(get(), &key, &value, op);
  if (code == MDB_NOTFOUND) return false;
  check(code);
  return true;
}

void DbCursor::put(Bytes key, Bytes value) {
  MDB_val k = to_val(key), v = to_val(value);
  check(mdb_cursor_put(get(), &k, &v, 0));
}

}  // namespace graspd::lmdb
