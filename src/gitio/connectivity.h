// Checks whether a history is complete.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "git/oid.h"

namespace graspd::gitio {

// True when every object reachable from `tips` is in the repository (or borrowed by it). What its
// refs reach is taken as whole and not walked again. The failure: git could not be asked.
core::Result<bool, std::string> is_connected(const std::filesystem::path& repository,
                                             const std::vector<git::Oid>& tips,
                                             core::Duration deadline);

}  // namespace graspd::gitio
