// Removes what a killed git leaves behind.
#pragma once
#include <cstddef>
#include <filesystem>

#include "core/time.h"

namespace graspd::gitio {

// Removes temporary files, locks and packs without an index that nobody has touched for `age`.
// Returns how many. The caller holds the repository's lock, so none is in use but by readers, and
// those make none.
std::size_t remove_leftovers(const std::filesystem::path& repository, core::Duration age);

// Locks on refs and HEAD alone, which is quick.
std::size_t remove_ref_locks(const std::filesystem::path& repository, core::Duration age);

}  // namespace graspd::gitio
