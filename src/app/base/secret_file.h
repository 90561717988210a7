// Files that hold one secret: read with care, made with care.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::app {

// The file's text (of at most a few KiB). The failure is a sentence.
core::Result<std::string, std::string> read_secret_file(const std::filesystem::path& path);

// Takes reading and writing from everybody else. A sentence for the operator when others could
// read it until now, and, with the command that mends it, when they still can.
std::optional<std::string> make_private(const std::filesystem::path& path);

// The same without changing anything, for files that hold a secret among other things: nullopt when
// strangers cannot read it. Its group may.
std::optional<std::string> exposed_to_strangers(const std::filesystem::path& path);

// Writes a file that did not exist, mode 0600, safe on disk when this returns.
core::Result<core::Done, std::string> create_secret_file(const std::filesystem::path& path,
                                                         std::string_view text);

void wipe(std::string& secret);

}  // namespace graspd::app
