// graspd import --from-ngit: everything an ngit-grasp keeps, into our folders.
//
//   R1  The source is only read. Nothing is written here without `commit`: before that it is said
//       what would be.
//   R2  Every event is verified as if it came from a client. What only its server understands
//       (holding, history, the records beside tombstones) is not taken.
//   R3  Each repository becomes one of its own, whatever it shared there: it gets what its refs
//       reach. One that is here already, with refs, is left alone, so that the import can be
//       repeated.
//   R4  What waits for git data waits here too, for the time that was left.
//   R5  Its key becomes ours, unless there is one here.
//   R6  Exit 1 when an event was bad or a repository could not be taken; the rest is.
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
