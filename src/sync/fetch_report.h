// The report of git fetches that pages, terminals and programs show. The engine does not know of
// it: its numbers come from elsewhere.
//
//   R1  Lists are short; totals are given beside them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace graspd::sync {

struct FetchEvent {
  std::string id;      // hex; empty: what is served turned out to be damaged
  std::string reason;  // "state", "pull_request" or "repair"
  std::size_t missing = 0;
  core::UnixSeconds since = 0;
};

struct FetchSourceStatus {
  std::string url;
  std::string words;    // "request running", "no such repository"
  std::string failure;  // a code: "not_found"; empty: none
  std::optional<core::UnixSeconds> failed_at, busy_since;
};

struct FetchStatus {
  std::string address;             // of the repository: 30617:…
  std::vector<FetchEvent> events;  // R1
  std::size_t events_total = 0;
  std::size_t missing = 0;                 // objects
  std::vector<std::string> first_missing;  // R1, hex
  core::UnixSeconds since = 0;
  std::uint32_t tries = 0;                    // in a row, in vain
  std::optional<core::UnixSeconds> next_try;  // none: it is under way
  std::vector<FetchSourceStatus> sources;     // R1; in the order in which they are asked
  std::size_t sources_total = 0;
};

struct Fetches {
  std::vector<FetchStatus> shown;  // R1; what is under way first, then what waits longest
  std::size_t total = 0;           // repositories
  std::size_t commands = 0;        // git processes that ask others now
};

}  // namespace graspd::sync
