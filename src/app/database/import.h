// graspd import: events from JSON lines into the database.
//
//   R1  Every line is parsed, its id recomputed and its signature checked, as if it came from a
//       client. Nothing else is trusted, so any relay's export will do.
//   R2  A bad line is counted and the first few are named; the others are still imported.
//   R3  Exit 0, or 1 when a line was invalid or the database failed.
#pragma once
#include <string>
#include <vector>

#include "app/config/settings.h"

namespace graspd::app {

struct ImportOptions {
  std::string file;                    // empty or "-": standard input
  std::vector<std::string> from_ngit;  // instead: the folders of an ngit-grasp (import_ngit.h)
  bool commit = false;                 // with from_ngit
};

int import_events(const Settings& settings, const ImportOptions& options);

}  // namespace graspd::app
