// The few files that make a folder a bare repository.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "gitio/files.h"

namespace graspd::gitio {

// `path` is new and empty or does not exist. HEAD names `head`, a full ref name.
core::Result<core::Done, std::string> write_skeleton(const std::filesystem::path& path,
                                                     std::string_view head, Sync sync);

}  // namespace graspd::gitio
