// The rows of the setting table about what one git process may take.
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

void add_git_process(std::vector<Setting>& rows);

}  // namespace graspd::app
