// Keeps a repository fast and small: few packs with a bitmap, packed refs, a commit-graph, no
// leftovers. git's own gc is off everywhere; this runs instead.
//
//   R1  The caller holds the repository's lock. `repack -d` during a push loses objects (it deletes
//       a pack that arrives between its two scans), so nothing may be written meanwhile.
//   R2  Work is done only when it pays: many packs or loose objects, many loose refs.
//   R3  Unreachable objects are kept for a grace period and then removed.
//   R4  Old temporary files and locks of a killed git are removed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/time.h"

namespace graspd::gitio {

struct MaintainOptions {
  std::size_t packs_max = 20;           // every lookup asks each pack
  std::size_t loose_objects_max = 500;  // estimated, see maintenance.cpp
  std::size_t loose_refs_max = 64;
  core::Duration unreachable_grace = std::chrono::hours(24);
  core::Duration leftovers_age = std::chrono::hours(6);  // no push takes longer
  core::Duration deadline = std::chrono::hours(1);       // of one git process
  // Rewriting all of a big repository costs its size in reading and writing: above this only small
  // packs are combined, and R3 waits for a forced run.
  std::uint64_t full_repack_bytes_max = 512 << 20;
  bool force = false;  // all of it, though few and big
};

struct Maintained {
  bool repacked = false;
  bool refs_packed = false;
  bool commit_graph_written = false;
  std::size_t leftovers_removed = 0;
};

// Blocks.
core::Result<Maintained, std::string> maintain(const std::filesystem::path& repository,
                                               const MaintainOptions& options);

// Nothing was ever put into it: no object, no ref.
bool is_untouched(const std::filesystem::path& repository);

// Of the packs, which is nearly all of it. Reads a folder, no file.
std::uint64_t disk_bytes(const std::filesystem::path& repository);

}  // namespace graspd::gitio
