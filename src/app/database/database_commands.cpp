#include "app/database/database_commands.h"

#include <fmt/format.h>

#include "app/database/database.h"
#include "core/counted.h"

namespace graspd::app {

int check_database(const Settings& settings, const CheckOptions& options) {
  const auto store = open_database(settings, Access::Read);
  if (!store) return fail(store.error());
  const auto report = (*store)->check({.signatures = options.signatures});
  if (!report) return fail(report.error());
  for (const std::string& problem : report->first_problems) fmt::print("{}\n", problem);
  if (report->problems == 0) {
    fmt::print("{}, no problems\n", core::counted(report->events, "event"));
    return 0;
  }
  fmt::print("{}, {}: export what can be read and import it into a new database\n",
             core::counted(report->events, "event"), core::counted(report->problems, "problem"));
  return 1;
}

int compact_database(const Settings& settings, const CompactOptions& /*options*/) {
  if (const auto disk = require_disk(settings); !disk) return fail(disk.error());
  const auto done = lmdb::compact(settings.relay_data_path);
  if (!done) return fail(done.error());
  fmt::print("{}: {} before, {} after\n", settings.relay_data_path,
             core::counted(done->bytes_before, "byte"), core::counted(done->bytes_after, "byte"));
  return 0;
}

int backup_database(const Settings& settings, const BackupOptions& options) {
  const auto store = open_database(settings, Access::Read);
  if (!store) return fail(store.error());
  const auto snapshot = (*store)->snapshot();
  if (!snapshot) return fail(store::describe(snapshot.error()));
  const std::uint64_t events = (*snapshot)->size();
  const auto done = (*store)->backup(
      options.directory, /*compact=*/true,
      options.replace ? lmdb::LmdbStore::Earlier::Replaced : lmdb::LmdbStore::Earlier::Kept);
  if (!done) return fail(done.error());
  fmt::print("{}: a copy of {} with {} or a few more\n", options.directory,
             settings.relay_data_path, core::counted(events, "event"));
  return 0;
}

}  // namespace graspd::app
