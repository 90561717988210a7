// What the server and the git commands it starts use together, as the kernel counts it for their
// control group (version 2): ngit_cgroup_cpu_seconds_total, ngit_cgroup_memory_current_bytes.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "metrics/registry.h"

namespace graspd::metrics {

// Read at each render; a figure the kernel does not give is left out.
void add_cgroup_metrics(Registry& registry);

// "/system.slice/graspd.service", from the text of /proc/self/cgroup.
std::optional<std::string> parse_cgroup(std::string_view text);
// From the text of cpu.stat.
std::optional<double> parse_cpu_seconds(std::string_view text);

}  // namespace graspd::metrics
