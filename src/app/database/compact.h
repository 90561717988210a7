// graspd compact: gives the space of removed events back to the disk. Not while serving.
#pragma once
#include "app/config/settings.h"

namespace graspd::app {

struct CompactOptions {};

int compact_database(const Settings& settings, const CompactOptions& options);

}  // namespace graspd::app
