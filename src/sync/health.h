// The health of a relay, and when to retry it (sync.md §8).
//
//   R1  A failure is retried after 5 s x 2^(failures-1), at most an hour. If every attempt fails
//       for 24 h, the relay is dead and retried once a day.
//   R2  A handshake is no recovery: failures are forgotten after 5 stable minutes.
//   R3  The first drop of a healthy relay is retried at once (0-2 s, so that not all come
//       together).
//   R4  A connection that brought something new was useful: its loss costs only the base delay.
//   R5  Rate limiting is no failure: no new requests for 65 s (or Retry-After), doubled for each
//       pause that follows within 5 quiet minutes, at most an hour. Messages during a pause neither
//       extend it nor count. A pause blocks dialling too.
//   R6  Incomplete requests have their own backoff: 65 s, doubling to an hour.
//   R7  A HealthRecord holds what must survive a restart.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/rng.h"
#include "core/time.h"
#include "sync/options.h"
#include "sync/record.h"

namespace graspd::sync {

enum class HealthState : std::uint8_t {  // the numbers of ngit_sync_relay_status
  Healthy = 1,
  Disconnected = 2,
  Degraded = 3,
  Dead = 4,
  RateLimited = 5,
  PolicyLimited = 6,
};

class Health {
 public:
  Health() = default;
  Health(const HealthRecord& record, core::Now now);
  HealthRecord record(core::Now now) const;

  void connected(core::Now now);
  // `served`: it brought something new.
  void dropped(const Options& options, core::Now now, bool served, const std::string& reason,
               core::Rng& rng);
  void left(const Options& options, core::Now now);  // by us; whom to blame is said apart
  void dial_failed(const Options& options, core::Now now, const std::string& reason);
  void dial_unblamed(const Options& options, core::Now now);  // the fault was ours
  void retry_at(core::Instant at) { next_retry_ = at; }       // a known long wait
  void retry_now(core::Now now);                              // the operator knows better
  void settle(const Options& options, core::Now now);         // R2; cheap, call often

  // True when a pause began by it.
  bool rate_limited(const Options& options, core::Now now, std::optional<core::Duration> wait);
  void policy_limited(core::Instant until) { policy_until_ = until; }
  core::Duration request_failed(const Options& options);  // how long to wait
  void request_succeeded() { incomplete_ = 0; }

  bool is_paused(core::Now now) const { return paused_until_ && now.instant < *paused_until_; }
  std::optional<core::Instant> paused_until() const { return paused_until_; }
  core::Instant may_dial_at() const;
  HealthState state(const Options& options, core::Now now) const;
  bool has_worked() const { return last_success_.has_value(); }
  std::uint32_t failures() const { return failures_; }
  const std::string& reason() const { return reason_; }
  std::optional<core::UnixSeconds> last_success() const { return last_success_; }
  std::optional<core::Instant> up_since() const { return up_since_; }

 private:
  void fail(const Options& options, core::Now now, const std::string& reason);
  bool is_dead(const Options& options, core::Now now) const;

  std::uint32_t failures_ = 0;
  std::optional<core::UnixSeconds> first_failure_, last_failure_, last_success_;
  std::string reason_;
  core::Instant next_retry_{};
  std::optional<core::Instant> up_since_;
  std::optional<core::Instant> paused_until_, policy_until_;
  std::uint32_t pauses_ = 0;
  std::uint32_t incomplete_ = 0;
};

}  // namespace graspd::sync
