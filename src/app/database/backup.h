// graspd backup: a consistent copy of the database, even while the server runs.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct BackupOptions {
  std::string directory;
  bool replace = false;
};

int backup_database(const Settings& settings, const BackupOptions& options);

}  // namespace graspd::app
