// The disk space of a history.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "git/oid.h"

namespace graspd::gitio {

// Of all objects that are reachable from `tips`, as they lie in the repository: compressed, each
// once. Blocks while git walks them.
core::Result<std::uint64_t, std::string> reachable_bytes(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> tips,
                                                         core::Duration deadline);

}  // namespace graspd::gitio
