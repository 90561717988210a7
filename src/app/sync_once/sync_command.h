// graspd sync: reconciles this database with any relay, once.
//
//   R1  Fetched events are verified and accepted as if a client had sent them, by the running
//       server if there is one.
//   R2  Only the events themselves are remembered between runs: running the command again continues
//       an interrupted run. By negentropy that costs nothing; page by page, known events are read
//       again and dropped before they are verified.
//   R3  Exit codes: see sync_report.h; and 2 if the command line or the configuration is wrong.
#pragma once
#include "app/config/settings.h"
#include "app/sync_once/sync_request.h"

namespace graspd::app {

int sync_with_relay(const Settings& settings, const SyncOptions& options);

}  // namespace graspd::app
