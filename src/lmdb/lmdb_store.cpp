#include "lmdb/lmdb_store.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/counted.h"
#include "lmdb/checker.h"
#include "lmdb/copy.h"
#include "lmdb/directory.h"
#include "lmdb/migrate.h"
#include "lmdb/page_check.h"
#include "lmdb/snapshot.h"
#include "lmdb/writer.h"

namespace graspd::lmdb {

using store::StoreError;

struct LmdbStore::Parts {
  Parts(const Options& with_options, FileLock with_lock, const std::string& directory);

  Options options;
  FileLock lock;
  Env env;
  Tables tables{};
  std::atomic<store::Serial> newest{0};
  mutable Gate gate;

  core::Result<core::Done, std::string> prepare();
  core::Result<core::Done, std::string> expect_pages(const Txn& txn, PageDepth depth) const;
  core::Result<core::Done, std::string> expect_no_problems(const Txn& txn) const;
  core::Result<core::Done, std::string> open_all(Txn& txn);
  std::optional<StoreError> resize(std::size_t bytes);
  std::optional<StoreError> make_space();
  StoreError explain(int code) const;
  template <class Work>
  auto transact(const Work& work)
      -> core::Result<decltype(work(std::declval<Writer&>())), StoreError>;
};

namespace {

// Moving the map gives the old one up first: whether a new one fits is tried before.
bool fits_in_address_space(std::size_t bytes) {
  void* place =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  ::munmap(place, bytes);
  return true;
}

unsigned flags_for(const Options& options) {
  unsigned flags = 0;
  if (options.read_only) flags |= MDB_RDONLY;
  if (!options.sync || options.in_memory) flags |= MDB_NOSYNC;
  return flags;
}

core::Failure<std::string> cannot_open(const std::string& path, std::string_view why) {
  return {fmt::format("cannot open the event database in {}: {}", path, why)};
}

core::Result<FileLock, std::string> lock_directory(const Options& options) {
  if (options.read_only) {
    if (auto there = expect_database(options.path); !there) return core::Failure{there.error()};
    return lock_for_reading(options.path);
  }
  if (auto made = make_directory(options.path); !made) return core::Failure{made.error()};
  return lock_for_writing(options.path);
}

// LMDB writes its lock file through a map: on a full disk that ends the process, unless the space
// is there before.
constexpr std::size_t lock_bytes(unsigned readers) { return std::size_t{readers} * 64 + 128; }

core::Result<core::Done, std::string> expect_beginning(const std::string& directory) {
  if (!holds_database(directory)) return core::Done{};
  const std::string file = data_file(directory);
  auto good = check_beginning(file);
  if (!good) return core::Failure{damaged(file, good.error())};
  return core::Done{};
}

}  // namespace

LmdbStore::Parts::Parts(const Options& with_options, FileLock with_lock,
                        const std::string& directory)
    : options(with_options),
      lock(std::move(with_lock)),
      env({directory, flags_for(options), options.map_bytes, options.readers}) {}

core::Result<core::Done, std::string> LmdbStore::Parts::open_all(Txn& txn) {
  const Format& format = current_format();
  auto good = options.read_only ? expect_current(txn, format) : bring_up_to_date(txn, format);
  if (!good) return good;
  tables = open_tables(txn, options.read_only ? Missing::Fail : Missing::Create);
  tables.obeys_requests = options.obeys_requests;
  newest = newest_serial(txn, tables);
  txn.commit();
  return core::Done{};
}

core::Result<core::Done, std::string> LmdbStore::Parts::expect_pages(const Txn& txn,
                                                                     PageDepth depth) const {
  if (options.in_memory) return core::Done{};
  const std::string file = data_file(options.path);
  auto sound = check_pages(file, txn.base(), depth);
  if (!sound) return core::Failure{damaged(file, sound.error())};
  return core::Done{};
}

core::Result<core::Done, std::string> LmdbStore::Parts::prepare() {
  if (!options.read_only) env.clear_stale_readers();
  for (;;) {
    try {
      Txn txn(env, options.read_only ? Txn::Mode::Read : Txn::Mode::Write);
      if (auto sound = expect_pages(txn, PageDepth::Tops); !sound) return sound;
      return open_all(txn);
    } catch (const Failed& failed) {
      if (failed.code != MDB_MAP_FULL) return core::Failure{sentence(failed.code)};
    }
    if (const auto error = make_space()) return core::Failure{std::string(describe(*error))};
  }
}

core::Result<std::unique_ptr<LmdbStore>, std::string> LmdbStore::open(const Options& options) {
  CHECK(!(options.in_memory && options.read_only));
  std::string directory = options.path;
  FileLock lock;
  if (options.in_memory) {
    auto made = make_temporary_directory(options.path);
    if (!made) return core::Failure{made.error()};
    directory = *made;
  } else {
    auto taken = lock_directory(options);
    if (!taken) return cannot_open(directory, taken.error());
    lock = *std::move(taken);
    if (auto good = expect_beginning(directory); !good) return cannot_open(directory, good.error());
  }
  const bool is_new = !holds_database(directory);
  if (!options.read_only) {
    auto space = reserve(lock_file(directory), lock_bytes(options.readers));
    if (!space && options.in_memory) forget_directory(directory);
    if (!space) return cannot_open(directory, space.error());
  }
  try {
    auto parts = std::make_unique<Parts>(options, std::move(lock), directory);
    if (options.in_memory) forget_directory(directory);
    if (auto ready = parts->prepare(); !ready) return cannot_open(directory, ready.error());
    return std::unique_ptr<LmdbStore>(new LmdbStore(std::move(parts)));
  } catch (const Failed& failed) {
    if (options.in_memory) forget_directory(directory);
    if (is_new) forget_file(data_file(directory));  // the beginning of one would pass for damaged
    return cannot_open(directory, sentence(failed.code));
  }
}

LmdbStore::LmdbStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LmdbStore::~LmdbStore() = default;

std::optional<StoreError> LmdbStore::Parts::resize(std::size_t bytes) {
  try {
    const bool alone =
        gate.run_alone(options.readers_leave_within, [&] { env.set_map_bytes(bytes); });
    if (!alone) return StoreError::Busy;
    return std::nullopt;
  } catch (const Failed& failed) {
    return to_store_error(failed.code);
  }
}

std::optional<StoreError> LmdbStore::Parts::make_space() {
  const std::size_t bytes = std::min(2 * env.map_bytes(), options.map_bytes_max);
  if (bytes <= env.map_bytes() || !fits_in_address_space(bytes)) return StoreError::DiskFull;
  return resize(bytes);
}

StoreError LmdbStore::Parts::explain(int code) const {
  if (code == EIO && !options.in_memory && is_full(options.path)) return StoreError::DiskFull;
  return to_store_error(code);
}

template <class Work>
auto LmdbStore::Parts::transact(const Work& work)
    -> core::Result<decltype(work(std::declval<Writer&>())), StoreError> {
  CHECK(!options.read_only);
  for (;;) {
    try {
      Writer writer(env, tables);
      auto result = work(writer);
      writer.commit();
      newest = writer.newest();
      return result;
    } catch (const Failed& failed) {
      if (failed.code != MDB_MAP_FULL) return core::Failure{explain(failed.code)};
    }
    if (const auto error = make_space()) return core::Failure{*error};
  }
}

core::Result<std::vector<store::Written>, StoreError> LmdbStore::write(const store::Batch& batch,
                                                                       core::UnixSeconds now) {
  return parts_->transact([&](Writer& writer) {
    for (const nostr::EventId& id : batch.removals) writer.take_out(id);
    std::vector<store::Written> outcomes;
    outcomes.reserve(batch.events.size());
    for (const store::Write& write : batch.events) outcomes.push_back(writer.write(write, now));
    for (const nostr::EventId& id : batch.revoked) writer.revoke(id);
    for (const store::Note& note : batch.notes) writer.note(note);
    return outcomes;
  });
}

core::Result<std::size_t, StoreError> LmdbStore::remove_expired(core::UnixSeconds now,
                                                                std::size_t max) {
  return parts_->transact([&](Writer& writer) { return writer.remove_expired(now, max); });
}

core::Result<std::unique_ptr<store::Snapshot>, StoreError> LmdbStore::snapshot() const {
  for (;;) {
    try {
      return std::unique_ptr<store::Snapshot>(
          std::make_unique<LmdbSnapshot>(parts_->gate, parts_->env, parts_->tables));
    } catch (const Failed& failed) {
      if (failed.code != MDB_MAP_RESIZED) return core::Failure{to_store_error(failed.code)};
    }
    if (const auto error = parts_->resize(0)) return core::Failure{*error};
  }
}

store::Serial LmdbStore::newest() const { return parts_->newest; }

core::Result<core::Done, StoreError> LmdbStore::flush() {
  try {
    parts_->env.sync();
    return core::Done{};
  } catch (const Failed& failed) {
    return core::Failure{parts_->explain(failed.code)};
  }
}

core::Result<core::Done, StoreError> LmdbStore::refuse(const Refusals& refusals) {
  return parts_->transact([&](Writer& writer) {
    writer.refuse(refusals);
    return core::Done{};
  });
}

core::Result<CheckReport, std::string> LmdbStore::check(const CheckOptions& options) const {
  const auto reading = snapshot();
  if (!reading) return core::Failure{std::string(describe(reading.error()))};
  try {
    const auto& lmdb_snapshot = static_cast<const LmdbSnapshot&>(**reading);
    auto sound = parts_->expect_pages(lmdb_snapshot.txn(), PageDepth::Everything);
    if (!sound) return core::Failure{sound.error()};
    return Checker(lmdb_snapshot.txn(), parts_->tables, options).run();
  } catch (const Failed& failed) {
    return core::Failure{std::string(describe(to_store_error(failed.code)))};
  }
}

std::uint64_t LmdbStore::used_bytes() const {
  const Gate::Pass pass(parts_->gate);  // it is read from the map, which may be moving
  try {
    return parts_->env.used_bytes();
  } catch (const Failed&) {
    return 0;
  }
}

namespace {

// Nobody may be using the one that goes.
core::Result<std::vector<FileLock>, std::string> lock_replaced(const std::string& directory) {
  std::vector<FileLock> locks;
  for (const auto take : {lock_for_writing, lock_against_readers}) {
    auto lock = take(directory);
    if (!lock) return core::Failure{std::move(lock).error()};
    locks.push_back(*std::move(lock));
  }
  return locks;
}

}  // namespace

core::Result<core::Done, std::string> LmdbStore::Parts::expect_no_problems(const Txn& txn) const {
  if (auto sound = expect_pages(txn, PageDepth::Everything); !sound) return sound;
  const CheckReport report = Checker(txn, tables, {}).run();
  if (report.problems == 0) return core::Done{};
  const std::string first = report.first_problems.empty() ? "" : report.first_problems.front();
  return core::Failure{damaged(data_file(options.path),
                               fmt::format("{} ({} in all, which graspd check lists)", first,
                                           core::counted(report.problems, "problem")))};
}

core::Result<core::Done, std::string> LmdbStore::backup(const std::string& directory, bool compact,
                                                        Earlier earlier) const {
  const auto failed = [&](std::string_view why) {
    return core::Failure{fmt::format("cannot back up to {}: {}", directory, why)};
  };
  std::vector<FileLock> locks;
  std::error_code error;
  if (std::filesystem::equivalent(directory, parts_->options.path, error))
    return failed("that is the database itself; name another folder");
  if (holds_database(directory)) {
    if (earlier == Earlier::Kept)
      return failed(
          "there is a database already; name a folder that holds none, or replace an earlier "
          "backup with --replace");
    auto locked = lock_replaced(directory);
    if (!locked) return failed(locked.error());
    locks = *std::move(locked);
  }
  if (auto made = make_private_directory(directory); !made) return failed(made.error());
  try {
    const Gate::Pass pass(parts_->gate);
    const Txn now(parts_->env, Txn::Mode::Read);
    if (auto sound = parts_->expect_no_problems(now); !sound) return failed(sound.error());
    auto copied = copy_whole(parts_->env, directory, compact, S_IRUSR | S_IWUSR);
    if (!copied) return failed(copied.error());
  } catch (const Failed& failure) {
    return failed(sentence(failure.code));
  }
  return core::Done{};
}

}  // namespace graspd::lmdb
