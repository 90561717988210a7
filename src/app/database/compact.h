// graspd compact: returns the space of removed events to the disk. The server must be stopped.
#pragma once
#include "app/config/settings.h"

namespace graspd::app {

struct CompactOptions {};

int compact_database(const Settings& settings, const CompactOptions& options);

}  // namespace graspd::app
