#include "git/git_version.h"

#include <charconv>

#include "git/environment.h"

namespace graspd::git {

CommandLine git_version_command() { return {{"git", "version"}, Environment().finish(), "/"}; }

std::optional<GitVersion> parse_git_version(std::string_view output) {
  constexpr std::string_view kBegin = "git version ";
  if (!output.starts_with(kBegin)) return std::nullopt;
  output.remove_prefix(kBegin.size());
  GitVersion version;
  const char* const end = output.data() + output.size();
  const auto [dot, bad_major] = std::from_chars(output.data(), end, version.major);
  if (bad_major != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, bad_minor] = std::from_chars(dot + 1, end, version.minor);
  if (bad_minor != std::errc()) return std::nullopt;
  return version;
}

}  // namespace graspd::git
