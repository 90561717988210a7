// graspd status: the state of sync, as a table for a terminal.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct StatusOptions {
  std::string url;    // of a running server; empty: the one of this configuration
  bool json = false;  // everything, for programs
  // Nothing but whether the server answers, for whoever watches its process.
  bool health = false;
};

// 0: all is well. 1: some relay is in trouble, or --health and it does not answer. 2: nobody could
// be asked.
int show_status(const Settings& settings, const StatusOptions& options);

}  // namespace graspd::app
