#include "app/database/compact.h"

#include <fmt/format.h>

#include "app/database/database.h"
#include "core/counted.h"

namespace graspd::app {

int compact_database(const Settings& settings, const CompactOptions& /*options*/) {
  if (const auto disk = require_disk(settings); !disk) return fail(disk.error());
  const auto done = lmdb::compact(settings.relay_data_path);
  if (!done) return fail(done.error());
  fmt::print("{}: {} before, {} after\n", settings.relay_data_path,
             core::counted(done->bytes_before, "byte"), core::counted(done->bytes_after, "byte"));
  return 0;
}

}  // namespace graspd::app
