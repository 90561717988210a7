// graspd check: is the database what it says it is? Exit 0 when sound, 1 when not.
#pragma once
#include "app/config/settings.h"

namespace graspd::app {

struct CheckOptions {
  bool signatures = false;  // also every id and signature
};

int check_database(const Settings& settings, const CheckOptions& options);

}  // namespace graspd::app
