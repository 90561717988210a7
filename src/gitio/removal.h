// Removes a repository.
//
//   R1  It disappears from its place at once and as a whole. Deleting its files may take long and
//       may be interrupted: the rest is in <root>/.graspd/trash, for sweep_trash().
//   R2  A process that still reads from it keeps the files it has open.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::gitio {

// `token` names it in the trash (letters, digits, '-', '_') and is new. Nothing there: nothing to
// do. The caller holds the repository's lock.
core::Result<core::Done, std::string> remove_repository(const std::filesystem::path& root,
                                                        const std::filesystem::path& repository,
                                                        std::string_view token);

// At start. Returns how many repositories were there.
std::size_t sweep_trash(const std::filesystem::path& root);

// What an ordinary user may still write on the filesystem of `path`; nullopt if nobody can tell.
std::optional<std::uint64_t> free_bytes(const std::filesystem::path& path);

}  // namespace graspd::gitio
