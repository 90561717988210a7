// Descriptors 0, 1 and 2 belong to the standard streams, whoever started the program.
#pragma once

namespace graspd::app {

// Those that are closed become /dev/null: the next file that is opened would take their place, and
// the log be written into the database. Before anything else is opened. False when it cannot.
bool hold_standard_descriptors();

}  // namespace graspd::app
