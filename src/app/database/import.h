// graspd import: events from JSON lines into the database.
//
//   R1  Every line is parsed, its id recomputed and its signature checked, as if a client had sent
//       it. Nothing else is trusted, so an export of any relay will do.
//   R2  Bad lines are counted and the first few are named; the others are still imported.
//   R3  Exits 0, or 1 if a line was invalid or the database failed.
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
