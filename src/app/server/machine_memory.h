// How much memory there is for us: the machine's, or less where a control group says so.
#pragma once
#include <cstdint>
#include <string_view>

namespace graspd::app {

std::uint64_t machine_memory();

// The path in the text of /proc/self/cgroup (version 2); empty: there is none.
std::string_view control_group(std::string_view proc_self_cgroup);

}  // namespace graspd::app
