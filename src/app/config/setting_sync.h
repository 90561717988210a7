// The rows of the setting table about proactive sync (GRASP-02), of events and of git data.
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

void add_sync(std::vector<Setting>& rows);
void add_git_fetch(std::vector<Setting>& rows);

}  // namespace graspd::app
