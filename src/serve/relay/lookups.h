// The work that a connection has given to workers. Each piece is shared with the worker that runs
// it; while it runs, the connection touches nothing but `cancelled`.
#pragma once
#include <atomic>
#include <optional>
#include <span>

#include "relay/footprint.h"
#include "relay/hyper_log_log.h"
#include "serve/relay/client_connection.h"

namespace graspd::serve {

// A slice takes a few milliseconds at most, so that others get their turn.
constexpr store::Budget kSlice{.bytes = 96 * 1024, .entries = 10'000};

bool is_quick(std::span<const nostr::Filter> filters);  // names a few events

// A request whose stored events are being sent.
struct ClientConnection::Reading {
  Reading(relay::Handle of, nostr::SubscriptionId as, store::Cursor from)
      : handle(of),
        name(std::move(as)),
        cursor(std::move(from)),
        bytes(relay::footprint(cursor.filters)) {}

  relay::Handle handle;
  nostr::SubscriptionId name;
  store::Cursor cursor;
  const std::size_t bytes;
  std::atomic<bool> cancelled = false;
};

struct ClientConnection::Counting {
  Counting(const relay::Count& asked, std::uint64_t max)
      : handle(asked.query), survey(*asked.filters, max) {
    if (asked.hll_offset) hll.emplace(*asked.hll_offset);
  }

  const relay::Handle handle;
  store::Survey survey;
  std::optional<relay::HyperLogLog> hll;
  std::atomic<bool> cancelled = false;
};

struct ClientConnection::Reconciling {
  explicit Reconciling(relay::Handle of) : handle(of) {}

  const relay::Handle handle;
  std::shared_ptr<const negentropy::Responder> responder;
  std::atomic<bool> cancelled = false;
};

}  // namespace graspd::serve
