#include "app/database/database.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"

namespace graspd::app {

using core::Failure;

core::Result<core::Done, std::string> require_disk(const Settings& settings) {
  if (settings.backend == Backend::Lmdb) return core::Done{};
  return Failure{
      std::string("the memory backend keeps nothing on disk; set NGIT_DATABASE_BACKEND=lmdb")};
}

core::Result<std::unique_ptr<lmdb::LmdbStore>, std::string> open_database(const Settings& settings,
                                                                          Access access) {
  if (auto disk = require_disk(settings); !disk) return Failure{std::move(disk).error()};
  lmdb::Options options;
  options.path = settings.relay_data_path;
  options.sync = settings.database_sync;
  options.read_only = access == Access::Read;
  return lmdb::LmdbStore::open(options);
}

int fail(std::string_view sentence) {
  fmt::print(stderr, "graspd: {}\n", for_terminal(sentence));
  return 1;
}

}  // namespace graspd::app
