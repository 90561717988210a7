// Command lines in addition to those of git/command_line.h, with the same environment.
#pragma once
#include <filesystem>

#include "core/time.h"
#include "git/command_line.h"

namespace graspd::gitio {

// Reads oids, and `^oid` for what is not wanted, one per line; writes the oids of all they reach.
git::CommandLine list_objects(const std::filesystem::path& repository);

// Reads oids; writes how many bytes all they reach takes on disk.
git::CommandLine measure_objects(const std::filesystem::path& repository);

// Reads oids, one per line; succeeds if all they reach is there and can be read, whatever refs say.
git::CommandLine walk_objects(const std::filesystem::path& repository);

// Reads oids, one per line; writes <base>-<checksum>.pack and .idx, complete in themselves.
git::CommandLine pack_objects_into(const std::filesystem::path& repository,
                                   const std::filesystem::path& base);

// One pack with a bitmap. What no ref reaches is dropped once it is older than the grace period,
// and lies in a pack of its own before.
git::CommandLine repack_all(const std::filesystem::path& repository, core::Duration grace);

// Small packs and loose objects are combined, so that each pack is at least twice as large as the
// next; a big pack is left alone, with its bitmap.
git::CommandLine repack_small(const std::filesystem::path& repository);

// The same, and the refs it writes are on disk when it ends; git's default is to leave that to the
// kernel. One sync per ref: for few.
git::CommandLine with_synced_refs(git::CommandLine command);

}  // namespace graspd::gitio
