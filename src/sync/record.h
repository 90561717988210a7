// What is remembered about a relay across a restart (sync.md §8, §6.1): a value for the database.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "nostr/keys.h"
#include "nostr/relay_url.h"

namespace graspd::sync {

struct LostId {  // promised by the relay, not delivered
  nostr::EventId id;
  std::uint32_t tries = 0;
  bool operator==(const LostId&) const = default;
};

struct HealthRecord {
  std::uint32_t failures = 0;
  std::optional<core::UnixSeconds> first_failure, last_failure, last_success, next_retry;
  std::string reason;  // of the last failure
  std::optional<core::UnixSeconds> paused_until;
  std::uint32_t pauses = 0;
  bool operator==(const HealthRecord&) const = default;
};

// What a relay taught us by refusing.
struct Lessons {
  std::optional<std::uint64_t> retained_bytes_max;  // "active subscriptions exceed max size"
  std::size_t filters_per_req_max = 10;
  bool limit_zero_refused = false;
  std::optional<core::UnixSeconds> negentropy_refused_until;
  bool negentropy_worked = false;
  bool operator==(const Lessons&) const = default;
};

struct RelayRecord {
  nostr::RelayUrl url;
  HealthRecord health;
  Lessons lessons;
  std::vector<LostId> lost;
  bool operator==(const RelayRecord&) const = default;
};

}  // namespace graspd::sync
