// Describes fetches of missing git data, once for pages, terminals and programs.
#pragma once
#include <string>

#include "core/time.h"
#include "sync/fetch_report.h"

namespace graspd::sync {

// "state 1a2b3c4d5e; 2 more"
std::string wanted_in_words(const FetchStatus& fetch);
// "9 objects: 1a2b3c4d5e, …"
std::string missing_in_words(const FetchStatus& fetch);
// "https://a.example/x.git: no such repository (20 s ago)"
std::string source_in_words(const FetchSourceStatus& source, core::UnixSeconds now);
std::string sources_in_words(const FetchStatus& fetch, core::UnixSeconds now);
// "in progress", "in 20 s; 3 attempts failed"
std::string next_in_words(const FetchStatus& fetch, core::UnixSeconds now);

}  // namespace graspd::sync
