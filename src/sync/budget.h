// What one connection may use (sync.md §5, ledger and packing), from NIP-11 and from lessons.
#pragma once
#include <cstdint>
#include <optional>

#include "sync/messages.h"
#include "sync/page_read.h"

namespace graspd::sync {

struct Budget {
  std::size_t slots = 18;       // subscriptions and reconciliations together
  std::size_t live_slots = 17;  // at least one is kept for history
  std::size_t reconciliations_max = 4;
  std::size_t transients_max = 6;
  std::size_t filter_bytes = 32 * 1024;  // of values
  std::size_t req_bytes = 96 * 1024;
  std::size_t filters_per_req = 10;
  std::size_t live_bytes = SIZE_MAX;  // retained by the relay for our live subscriptions
  std::size_t ids_max = 480;          // in a question that the relay takes
  std::size_t ids_per_fetch = 480;    // fewer where it does not answer with so many
  PageLimits page_limits;
  // Of a reconciliation message, binary: hex doubles it. What every relay takes, unless it states
  // how much it takes.
  std::size_t frame_bytes = 60'000;
  std::optional<std::uint64_t> window_items;
};

Budget make_budget(const std::optional<PeerInformation>& information, const Lessons& lessons);

// Is NIP-77 worth an attempt (§6.1)?
bool may_reconcile(const std::optional<PeerInformation>& information, const Lessons& lessons,
                   core::UnixSeconds now);
bool is_grasp_server(const std::optional<PeerInformation>& information);
bool is_private(const std::optional<PeerInformation>& information);  // GRASP-08

}  // namespace graspd::sync
