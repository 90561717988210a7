#include "gitio/maintenance.h"

#include <algorithm>
#include <utility>

#include "git/command_line.h"
#include "gitio/commands.h"
#include "gitio/leftovers.h"
#include "gitio/object_files.h"
#include "gitio/run.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

std::size_t count_files(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) ++count;
  }
  return count;
}

// Names are hashes, so any of the 256 folders has its share: git's own gc estimates like this.
std::size_t estimate_loose_objects(const fs::path& repository) {
  return 256 * count_files(repository / "objects" / "17");
}

bool wants_repack(const fs::path& repository, const MaintainOptions& options) {
  return options.force || pack_indexes(repository).size() > options.packs_max ||
         estimate_loose_objects(repository) > options.loose_objects_max;
}

bool wants_packed_refs(const fs::path& repository, const MaintainOptions& options) {
  return options.force || count_files(repository / "refs") > options.loose_refs_max;
}

git::CommandLine repack_command(const fs::path& repository, const MaintainOptions& options) {
  const bool small = disk_bytes(repository) <= options.full_repack_bytes_max;
  return small || options.force ? repack_all(repository, options.unreachable_grace)
                                : repack_small(repository);
}

}  // namespace

core::Result<Maintained, std::string> maintain(const fs::path& repository,
                                               const MaintainOptions& options) {
  Maintained done{.leftovers_removed = remove_leftovers(repository, options.leftovers_age)};
  const auto perform = [&](const git::CommandLine& command) {
    return run_ok(command, {}, {.deadline = options.deadline});
  };
  if (wants_packed_refs(repository, options)) {
    auto packed = perform(with_synced_refs(git::pack_refs(repository.string())));
    if (!packed) return core::Failure{std::move(packed).error()};
    done.refs_packed = true;
  }
  if (!wants_repack(repository, options)) return done;
  auto repacked = perform(repack_command(repository, options));
  if (!repacked) return core::Failure{std::move(repacked).error()};
  done.repacked = true;
  // A repack can drop commits that the old graph names; so the graph is written each time.
  auto written = perform(git::commit_graph(repository.string()));
  if (!written) return core::Failure{std::move(written).error()};
  done.commit_graph_written = true;
  return done;
}

bool is_untouched(const fs::path& repository) {
  std::error_code error;
  if (!fs::exists(repository / "HEAD", error) || fs::exists(repository / "packed-refs", error))
    return false;
  return count_files(repository / "objects") == 0 && count_files(repository / "refs") == 0;
}

std::uint64_t disk_bytes(const fs::path& repository) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(repository / "objects" / "pack", error)) {
    std::error_code gone;
    const std::uintmax_t size = entry.file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace graspd::gitio
