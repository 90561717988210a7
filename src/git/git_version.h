// Which git is installed, and whether it is new enough.
#pragma once
#include <compare>
#include <optional>
#include <string_view>

#include "git/command_line.h"

namespace graspd::git {

struct GitVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const GitVersion&) const = default;
};

// `repack --cruft` came with it; tested with 2.39 and later.
inline constexpr GitVersion kOldestGit{2, 37};

CommandLine git_version_command();
// What that command prints: "git version 2.39.5", with more behind it on some systems.
std::optional<GitVersion> parse_git_version(std::string_view output);

}  // namespace graspd::git
