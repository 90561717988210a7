// A snapshot of sync for pages, metrics and commands: what the engine reports and what its edge
// counts.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "core/time.h"
#include "sync/fetch_report.h"
#include "sync/status.h"

namespace graspd::sync {

struct Traffic {
  std::uint64_t bytes_in = 0, bytes_out = 0;  // on the wire
};

struct SyncReport {
  Status status;
  std::map<std::string, Traffic> traffic;  // by url
  Fetches fetches;
  std::string trouble;  // why the server stores nothing at all; empty: it does
  core::UnixSeconds taken_at = 0;

  Traffic traffic_of(const std::string& url) const {
    const auto at = traffic.find(url);
    return at == traffic.end() ? Traffic{} : at->second;
  }
};

}  // namespace graspd::sync
