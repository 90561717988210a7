// The rows of the setting table about pull requests for repositories of other servers (GRASP-06).
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

void add_pr_repositories(std::vector<Setting>& rows);

}  // namespace graspd::app
