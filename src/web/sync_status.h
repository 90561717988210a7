// The answer of /api/sync: JSON for programs, a table for terminals (Accept: text/plain).
//
//   R1  `?repositories=N` cuts the list of repositories; without it the JSON is complete, and the
//       table shows as many as a person will read.
//   R2  The header Sync-Outlook has the overall tone: good, busy, idle, warn or bad.
//   R3  A table has no character that a terminal would take for a command.
#pragma once
#include <string>

#include "http/message.h"
#include "sync/sync_report.h"

namespace graspd::web {

http::Response sync_status(const sync::SyncReport& report, const http::Request& request);

// Of an address: "npub1qqqqqq…wwwwww".
std::string short_owner(const std::string& address);

std::string sync_table(const sync::SyncReport& report, std::size_t repositories_max);

}  // namespace graspd::web
