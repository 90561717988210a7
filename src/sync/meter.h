// What sync counts. Plain numbers: metrics/ reads them, tests assert on them (sync.md §10).
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace graspd::sync {

// What became of events that were asked for by id.
struct Hydration {
  std::uint64_t requested = 0, delivered = 0, not_delivered = 0;
  std::uint64_t saved = 0, duplicate = 0, held = 0, refused = 0, forged = 0, unjudged = 0;
};

struct RelayMeter {  // goes when the relay goes
  std::uint64_t dials_succeeded = 0, dials_failed = 0;
  std::uint64_t arrived = 0;     // events that matched
  std::uint64_t first_seen = 0;  // stored because of this relay
  std::uint64_t duplicates = 0;  // known before: dropped before verification
  std::uint64_t rejected = 0, held = 0, forged = 0;
  std::uint64_t postponed = 0;              // no space here: asked for again
  std::uint64_t pauses = 0, paused_ms = 0;  // in which it was not read from
  std::uint64_t unmatched = 0;              // matched no filter they were sent for
  std::uint64_t gaps = 0;                   // gaps it filled: ngit_sync_gap_events_total
  std::uint64_t requests = 0, pages = 0, reconciliations = 0, reconciliation_rounds = 0;
  std::uint64_t ids_requested = 0, ids_delivered = 0, ids_lost = 0, ids_recovered = 0;
  std::uint64_t rate_limits = 0, timeouts = 0, batches_done = 0, batches_failed = 0;
  std::uint64_t consolidations = 0;
  std::uint64_t books_mended = 0;  // what was confirmed and not read: never, unless by a mistake
  std::uint64_t rereads = 0;       // of all, because answers that looked whole were not
  std::map<std::string, std::uint64_t> policy_refusals;  // by category
  Hydration stream, recovery;  // while reconciling; of what was promised and not delivered then
};

struct Meter {
  std::uint64_t stored_live = 0, stored_historic = 0, stored_daily = 0;  // events_total by source
  std::uint64_t gaps = 0;
  std::uint64_t urls_ignored = 0;    // of announcements
  std::uint64_t relays_refused = 0;  // had to wait for a place (Places)
  std::uint64_t stale_inputs = 0;    // of sessions that are over
  std::uint64_t steps = 0;
  std::map<std::string, std::uint64_t> watchdog;  // requests ended for want of progress, by class

  std::uint64_t synced() const { return stored_live + stored_historic + stored_daily; }
};

}  // namespace graspd::sync
