// The rows of the setting table about archives (GRASP-05), and which combinations are valid.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/config/setting_table.h"
#include "app/config/settings.h"

namespace graspd::app {

void add_archive(std::vector<Setting>& rows);

bool is_archive(const Settings& settings);
// As set; when not set, an archive is read-only.
bool is_read_only_archive(const Settings& settings);

std::optional<std::string> archive_contradiction(const Settings& settings);

// NIP-11 `curation`: what is kept, in a sentence; empty when there is nothing to say.
std::string curation(const Settings& settings);

}  // namespace graspd::app
