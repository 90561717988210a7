// `graspd serve`: the server itself. Wires the modules together, waits for a signal, and stops
// them in the right order.
#pragma once
#include "app/settings.h"

namespace graspd::app {

// Returns the exit code: 0 after SIGTERM or SIGINT, 1 when the server could not start.
int serve(const Settings& settings);

}  // namespace graspd::app
