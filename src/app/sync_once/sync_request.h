// What the operator requests from `graspd sync`, checked.
//
//   R1  Without a direction, events are fetched. At most one direction may be given.
//   R2  Filters are NIP-01 filters without a limit, because reconciling part of a set is
//       meaningless. Without a filter, everything is compared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "nostr/filter.h"
#include "nostr/relay_url.h"

namespace graspd::app {

// As written on the command line.
struct SyncOptions {
  std::string url;
  std::vector<std::string> filters;
  bool down = false, up = false, both = false;
  bool dry_run = false, json = false;
  std::uint64_t inactivity_limit = 60;  // seconds
};

struct SyncRequest {
  nostr::RelayUrl peer;
  std::vector<nostr::Filter> filters;
  bool down = true, up = false, dry_run = false;
  core::Duration inactivity_limit{60'000};

  bool stores() const { return down && !dry_run; }
  bool uploads() const { return up && !dry_run; }
};

// The failure is a sentence for the operator.
core::Result<SyncRequest, std::string> parse_sync_request(const SyncOptions& options);

}  // namespace graspd::app
