// `graspd serve`: the server itself. Wires the modules together, waits for a signal, and stops
// them in the right order.
#pragma once
#include "app/config/settings.h"
#include "app/server/list_reload.h"

namespace graspd::app {

// On SIGHUP the lists are read again (app/server/list_reload.h), unless it came because the
// terminal was closed. Returns the exit code: 0 after SIGTERM or SIGINT, 1 when the server could
// not start, 2 when the machine lacks what it needs and trying again is of no use.
int serve(const Settings& settings, const ReadSettings& read_settings);

}  // namespace graspd::app
