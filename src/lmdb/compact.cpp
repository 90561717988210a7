#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

#include "lmdb/copy.h"
#include "lmdb/directory.h"
#include "lmdb/lmdb_store.h"
#include "lmdb/migrate.h"
#include "lmdb/page_check.h"

namespace graspd::lmdb {
namespace {

namespace fs = std::filesystem;

std::uint64_t file_size(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : size;
}

// Whoever may read the database may read it afterwards.
mode_t mode_of(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777 : S_IRUSR | S_IWUSR;
}

core::Result<core::Done, std::string> copy_compacted(const std::string& from,
                                                     const std::string& to) {
  if (auto good = check_beginning(data_file(from)); !good)
    return core::Failure{damaged(data_file(from), good.error())};
  try {
    const Env env({from, 0, 0, 16});
    {
      Txn txn(env, Txn::Mode::Read);
      auto sound = check_pages(data_file(from), txn.base(), PageDepth::Everything);
      if (!sound) return core::Failure{damaged(data_file(from), sound.error())};
      if (auto known = expect_current(txn, current_format()); !known) return known;
    }
    return copy_whole(env, to, true, mode_of(data_file(from)));
  } catch (const Failed& failed) {
    return core::Failure{sentence(failed.code)};
  }
}

// The lock file counts the transactions of the file it was made for: it must not meet another.
core::Result<core::Done, std::string> exchange(const std::string& fresh, const std::string& path) {
  std::error_code error;
  fs::remove(fs::path(path) / "lock.mdb", error);
  if (!error) fs::rename(data_file(fresh), data_file(path), error);
  if (error) return core::Failure{error.message()};
  return sync_path(path);
}

core::Result<Compacted, std::string> compact_locked(const std::string& path) {
  const std::string fresh = (fs::path(path) / "compacting").string();
  forget_directory(fresh);
  if (auto made = make_directory(fresh); !made) return core::Failure{made.error()};
  Compacted sizes{file_size(data_file(path)), 0};
  auto done = copy_compacted(path, fresh);
  if (done) done = exchange(fresh, path);
  forget_directory(fresh);
  if (!done) return core::Failure{done.error()};
  sizes.bytes_after = file_size(data_file(path));
  return sizes;
}

core::Result<Compacted, std::string> compact_alone(const std::string& path) {
  if (auto there = expect_database(path); !there) return core::Failure{there.error()};
  const auto writing = lock_for_writing(path);
  if (!writing) return core::Failure{writing.error()};
  const auto reading = lock_against_readers(path);
  if (!reading) return core::Failure{reading.error()};
  return compact_locked(path);
}

}  // namespace

core::Result<Compacted, std::string> compact(const std::string& path) {
  auto result = compact_alone(path);
  if (result) return result;
  return core::Failure{
      fmt::format("cannot compact the event database in {}: {}", path, result.error())};
}

}  // namespace graspd::lmdb
