// The rows of the setting table about the resources of one git process.
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

void add_git_process(std::vector<Setting>& rows);

}  // namespace graspd::app
