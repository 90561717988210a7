// What the operating system knows about this process, under the names Prometheus clients share:
// process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_threads, process_open_fds, process_max_fds, process_start_time_seconds.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "metrics/registry.h"

namespace graspd::metrics {

void add_process_metrics(Registry& registry);  // read at each render

// The fields of /proc/self/stat that are of use here.
struct ProcessStat {
  std::uint64_t user_ticks = 0, system_ticks = 0;
  std::uint64_t threads = 0;
  std::uint64_t start_ticks = 0;  // since boot
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};
// The command name in the middle may hold blanks and parentheses.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace graspd::metrics
