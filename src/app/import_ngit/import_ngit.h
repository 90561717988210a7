// graspd import --from-ngit: migrates all data of an ngit-grasp server.
//
//   R1  The source is only read. Without `commit` nothing is written, and the command reports what
//       it would do.
//   R2  Every event is verified as if a client had sent it. Records that only ngit-grasp
//       understands (beside held events, superseded versions and tombstones) are not imported.
//   R3  Each repository becomes a separate one, whatever it shared there: it gets what its refs
//       reach. A repository that is already here and has refs is not changed, so the import can be
//       repeated.
//   R4  Events that wait for git data wait here too, for the time that was left.
//   R5  Its key becomes ours, unless there is one here.
//   R6  Exits 1 if an event was bad or a repository could not be imported; the rest is imported.
//   R7  What it holds of deleted repositories, and superseded versions, are kept here as ours are
//       (ngit_past.h). Archives of git data are not imported.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct NgitImportOptions {
  std::string relay, git;  // its folders
  bool commit = false;
};

int import_from_ngit(const Settings& settings, const NgitImportOptions& options);

}  // namespace graspd::app
