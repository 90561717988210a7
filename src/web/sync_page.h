// The page /sync: how complete the copy is, relay by relay, for people.
//
//   R1  The first sentence sums up; relays in trouble come first in the list.
//   R2  The page is complete without a script. With the script it updates itself.
//   R3  At most kRepositoriesShown repositories are listed, with the total.
//   R4  While git data is missing, the page lists it: for what it is needed, which servers were
//       asked, and with what result.
#pragma once
#include <cstddef>

#include "http/message.h"
#include "sync/sync_report.h"
#include "web/home.h"

namespace graspd::web {

inline constexpr std::size_t kRepositoriesShown = 200;

http::Response sync_page(const sync::SyncReport& report, const Home& home);

}  // namespace graspd::web
