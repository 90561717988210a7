// The files that hold a repository's objects, and how to move them into another one.
//
//   R1  Readers see a pack once its index exists, so the index comes last.
//   R2  Each file is on disk before its name is, and the names are on disk when this returns.
//   R3  A file that exists already should have the same content, because its name is a hash of it.
//       Moving replaces it anyway, because the disk may have damaged it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace graspd::gitio {

enum class Transfer { Move, Link };

// All packs and loose objects of the repository `from`. Nothing temporary, no locks on packs.
core::Result<core::Done, std::string> transfer_objects(const std::filesystem::path& from,
                                                       const std::filesystem::path& to,
                                                       Transfer how);

// The index of a pack names it: objects/pack/pack-<checksum>.idx.
std::vector<std::filesystem::path> pack_indexes(const std::filesystem::path& repository);

// The pack of `index` and what belongs to it.
core::Result<core::Done, std::string> link_pack(const std::filesystem::path& index,
                                                const std::filesystem::path& to);

// Of everything below objects/, also what is being received.
std::uint64_t object_bytes(const std::filesystem::path& repository);
// Of its packs alone: a look into one folder.
std::uint64_t pack_bytes(const std::filesystem::path& repository);

}  // namespace graspd::gitio
