// graspd export: events as JSON lines, in order of acceptance; with a filter, newest first.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct ExportOptions {
  std::string file;    // empty or "-": standard output
  std::string filter;  // NIP-01 JSON; empty: everything
};

int export_events(const Settings& settings, const ExportOptions& options);

}  // namespace graspd::app
