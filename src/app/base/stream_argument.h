// A file named on the command line, or standard input and output.
#pragma once
#include <string>

namespace graspd::app {

inline bool is_stream(const std::string& file) { return file.empty() || file == "-"; }

}  // namespace graspd::app
