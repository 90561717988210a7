// Archives (GRASP-05): which combinations of settings are valid, and what they mean.
#pragma once
#include <optional>
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

bool is_archive(const Settings& settings);
// As set; when not set, an archive is read-only.
bool is_read_only_archive(const Settings& settings);

std::optional<std::string> archive_contradiction(const Settings& settings);

// NIP-11 `curation`: what is kept, in a sentence; empty when there is nothing to say.
std::string curation(const Settings& settings);

}  // namespace graspd::app
