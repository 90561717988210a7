// The rows of the setting table by topic, one setting_<topic>.cpp each. docs/configuration.md and
// --help show rows in the order in which they are added.
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

void add_identity(std::vector<Setting>& rows);
void add_network(std::vector<Setting>& rows);
void add_storage(std::vector<Setting>& rows);
void add_access_lists(std::vector<Setting>& rows);
void add_archive(std::vector<Setting>& rows);
void add_repositories(std::vector<Setting>& rows);
void add_private(std::vector<Setting>& rows);
void add_sync(std::vector<Setting>& rows);
void add_git_fetch(std::vector<Setting>& rows);
void add_limits(std::vector<Setting>& rows);
void add_strangers(std::vector<Setting>& rows);
void add_git_limits(std::vector<Setting>& rows);
void add_git_process(std::vector<Setting>& rows);
void add_threads(std::vector<Setting>& rows);
void add_observing(std::vector<Setting>& rows);
void add_testing(std::vector<Setting>& rows);

}  // namespace graspd::app
