// The whole of standard input, for commands that take one text.
#pragma once
#include <string>

#include "core/result.h"

namespace graspd::app {

// No event is larger; a relay would not take it.
inline constexpr std::size_t kInputBytesMax = 16 * 1024 * 1024;

core::Result<std::string, std::string> read_standard_input();

}  // namespace graspd::app
