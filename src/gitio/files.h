// Files that must survive a power cut, and folders that must be removed.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::gitio {

// What errno says about `path`, as a failure for the operator.
core::Failure<std::string> failed(std::string_view what, const std::filesystem::path& path);

// Writes a new file or over an old one; synced only on request.
enum class Sync { No, Yes };
core::Result<core::Done, std::string> write_file(const std::filesystem::path& path,
                                                 std::string_view content, Sync sync);

core::Result<core::Done, std::string> make_folders(const std::filesystem::path& path);
core::Result<core::Done, std::string> put_in_place(const std::filesystem::path& from,
                                                   const std::filesystem::path& to);

// Content of a file, or names in a folder: what is written comes to rest on disk.
core::Result<core::Done, std::string> sync_to_disk(const std::filesystem::path& file_or_folder);

// Removes what it can; what it cannot is for a later sweep.
void remove_tree(const std::filesystem::path& path);

}  // namespace graspd::gitio
