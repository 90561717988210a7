// graspd backup: a consistent copy of the database, also beside a running server.
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
