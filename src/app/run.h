// From a command line to an exit code: parse, configure, start logging, do it.
#pragma once
#include <string>
#include <vector>

namespace graspd::app {

// 0: done; 1: it failed; 2: the command line or the configuration is wrong.
int run(const std::vector<std::string>& arguments);

}  // namespace graspd::app
