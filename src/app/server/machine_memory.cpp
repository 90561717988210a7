#include "app/server/machine_memory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <unistd.h>

namespace graspd::app {
namespace {

std::string first_line(const std::filesystem::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<std::uint64_t> limit_in(const std::filesystem::path& path) {
  const std::string line = first_line(path);  // a number, or "max"
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), bytes);
  if (line.empty() || error != std::errc() || end != line.data() + line.size()) return {};
  return bytes;
}

}  // namespace

std::string_view control_group(std::string_view text) {
  constexpr std::string_view kPrefix = "0::/";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(kPrefix)) return line.substr(kPrefix.size());
    at = end + 1;
  }
  return {};
}

std::uint64_t machine_memory() {
  auto least = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
               static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::ifstream file("/proc/self/cgroup");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // The limit of each group that ours is in holds too.
  std::filesystem::path group = control_group(text);
  for (;; group = group.parent_path()) {
    if (const auto limit = limit_in(root / group / "memory.max")) least = std::min(least, *limit);
    if (group.empty()) return least;
  }
}

}  // namespace graspd::app
