// Standard input, for commands that take a text or a file.
#pragma once
#include <string>

#include "core/result.h"

namespace graspd::app {

// No event is larger; a relay would not take it.
inline constexpr std::size_t kInputBytesMax = 16 * 1024 * 1024;

// The whole of it.
core::Result<std::string, std::string> read_standard_input();

// Does a file named on the command line mean standard input or output?
inline bool is_stream(const std::string& file) { return file.empty() || file == "-"; }

}  // namespace graspd::app
