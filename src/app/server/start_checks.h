// What a server needs besides right settings, looked at before it serves: a failure then beats one
// at the first push.
#pragma once
#include <filesystem>
#include <string>

#include "core/result.h"

namespace graspd::app {

// NGIT_SYNC_CA_FILE; empty: none is wanted.
core::Result<core::Done, std::string> expect_certificates(const std::filesystem::path& file);

// The folder of the repositories; it is made if it is not there.
core::Result<core::Done, std::string> expect_git_folder(const std::filesystem::path& root);

// Git itself, not older than what is needed of it.
core::Result<core::Done, std::string> expect_git();

}  // namespace graspd::app
