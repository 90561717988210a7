// Said by --version, NIP-11 and /metrics. The same as in CMakeLists.txt, which a test checks.
#pragma once
#include <string_view>

namespace graspd::app {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace graspd::app
