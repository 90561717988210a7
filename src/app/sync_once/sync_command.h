// graspd sync: reconciles this database with any relay, once.
//
//   R1  What comes is verified and accepted as if a client had sent it, by the running server if
//       there is one.
//   R2  Nothing is remembered between runs but the events themselves: a run that was interrupted
//       is gone on with by running it again. By negentropy that costs nothing; page by page what is
//       here already is read again, and dropped before it is verified.
//   R3  Exit codes: see sync_report.h; and 2 when the command line or the configuration is wrong.
#pragma once
#include "app/config/settings.h"
#include "app/sync_once/sync_request.h"

namespace graspd::app {

int sync_with_relay(const Settings& settings, const SyncOptions& options);

}  // namespace graspd::app
