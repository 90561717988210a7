// What one client may ask of the relay. Every number is a setting; 0 means no limit.
// The session enforces these numbers and NIP-11 publishes the same ones, so the two cannot differ.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/time.h"

namespace graspd::relay {

struct Limits {
  // As large as peers of the reference server send (ten filters of 32 KiB, and space to grow).
  std::size_t message_bytes = 5 * 1024 * 1024;
  std::size_t event_bytes = 192 * 1024;

  // Of one event in the indexes, about 100 bytes each; 1,000 are more than any list of a repository
  // needs, and one event of 192 KiB could have 50,000.
  std::size_t indexed_values = 1'000;

  // NIP-01 says 64; clients in the field send more, and the reference server takes 250.
  std::size_t subscription_id_bytes = 250;
  std::size_t subscriptions = 500;
  std::size_t filters_per_request = 20;
  // Text of all filters a connection keeps open: what a peer that follows a large server needs.
  std::size_t subscription_bytes = 5 * 1024 * 1024;
  // Most a filter may bring at once, and what it gets when it names no limit. A filter by `ids` is
  // answered in full.
  std::uint64_t filter_limit = 500;

  std::uint32_t events_per_minute = 1'200;
  std::uint32_t queries_per_minute = 1'200;  // REQ, COUNT, NEG-OPEN; NEG-MSG has the same again
  std::uint32_t authentications_per_minute = 30;
  // Queries read from the store at the same time; the others of the connection wait their turn.
  std::size_t queries_in_flight = 20;

  // A reader this far behind is closed: it must come back and ask again.
  std::size_t outbound_bytes = 16 * 1024 * 1024;

  std::size_t negentropy_sessions = 10;
  std::uint64_t negentropy_items = 1'000'000;
  core::Duration negentropy_idle{60'000};

  // Clocks differ; a date beyond this poisons every "newest" list.
  std::uint32_t created_at_ahead_seconds = 86'400;
};

}  // namespace graspd::relay
