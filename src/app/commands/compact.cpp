#include "app/commands/compact.h"

#include <fmt/format.h>

#include "app/commands/database.h"

namespace graspd::app {

int compact_database(const Settings& settings, const CompactOptions& /*options*/) {
  if (const auto disk = require_disk(settings); !disk) return fail(disk.error());
  const auto done = lmdb::compact(settings.relay_data_path);
  if (!done) return fail(done.error());
  fmt::print("{}: {} bytes before, {} bytes after\n", settings.relay_data_path, done->bytes_before,
             done->bytes_after);
  return 0;
}

}  // namespace graspd::app
