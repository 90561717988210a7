// graspd check: checks the integrity of the database. Exits 0 if it is sound, 1 if not.
#pragma once
#include "app/config/settings.h"

namespace graspd::app {

struct CheckOptions {
  bool signatures = false;  // also every id and signature
};

int check_database(const Settings& settings, const CheckOptions& options);

}  // namespace graspd::app
