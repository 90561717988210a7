#include "app/database/backup.h"

#include <fmt/format.h>

#include "app/database/database.h"
#include "core/counted.h"

namespace graspd::app {

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
