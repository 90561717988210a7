#include "metrics/cgroup.h"

#include <charconv>
#include <fstream>
#include <iterator>

namespace graspd::metrics {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<double> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return static_cast<double>(value);
}

// What follows `key` at the beginning of a line.
std::optional<std::string_view> line_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.starts_with(key)) return line.substr(key.size());
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> parse_cgroup(std::string_view text) {
  const auto path = line_after(text, "0::");
  if (!path || !path->starts_with('/')) return std::nullopt;
  return std::string(*path == "/" ? "" : *path);
}

std::optional<double> parse_cpu_seconds(std::string_view text) {
  const auto microseconds = leading_number(line_after(text, "usage_usec ").value_or(""));
  if (!microseconds) return std::nullopt;
  return *microseconds / 1e6;
}

void add_cgroup_metrics(Registry& registry) {
  const auto group = parse_cgroup(text_of("/proc/self/cgroup"));
  if (!group) return;
  const std::string folder = "/sys/fs/cgroup" + *group;
  const auto cpu = [file = folder + "/cpu.stat"] { return parse_cpu_seconds(text_of(file)); };
  const auto memory = [file = folder + "/memory.current"] { return leading_number(text_of(file)); };
  if (cpu()) {
    registry.read_counter("ngit_cgroup_cpu_seconds_total",
                          "CPU time of the server and its git commands, in seconds",
                          [cpu] { return cpu().value_or(0); });
  }
  if (memory()) {
    registry.read_gauge("ngit_cgroup_memory_current_bytes",
                        "Memory of the server and its git commands, page cache included",
                        [memory] { return memory().value_or(0); });
  }
}

}  // namespace graspd::metrics
