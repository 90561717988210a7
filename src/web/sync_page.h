// The page /sync: how complete the copy is, relay by relay, for people.
//
//   R1  One sentence on top says how all of it fares; what is not well comes first in the list.
//   R2  The first view is complete without a script. With one it stays up to date by itself.
//   R3  At most kRepositoriesShown repositories are listed, and how many there are is said.
//   R4  What git data is looked for, for what, from where and with what success, is listed while
//       there is any.
#pragma once
#include <cstddef>

#include "http/message.h"
#include "sync/sync_report.h"
#include "web/home.h"

namespace graspd::web {

inline constexpr std::size_t kRepositoriesShown = 200;

http::Response sync_page(const sync::SyncReport& view, const Home& home);

}  // namespace graspd::web
