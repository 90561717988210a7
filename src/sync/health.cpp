#include "sync/health.h"

#include <algorithm>
#include <chrono>

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kQuiet = 5min;  // after a pause, to forget that there was one
constexpr std::uint64_t kJitterMs = 2000;
constexpr core::Duration kWaitMax = 24h;  // nothing here waits longer

core::Duration doubled(core::Duration base, std::uint32_t times, core::Duration max) {
  for (; times > 0 && base < max; --times) base *= 2;
  return std::min(base, max);
}
core::UnixSeconds seconds_up(core::Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}
core::UnixSeconds due_at(core::Instant at, core::Now now) {
  return now.unix_seconds + seconds_up(at - now.instant);
}
core::Instant to_instant(core::UnixSeconds at, core::Now now) {
  return now.instant + std::chrono::seconds(at - now.unix_seconds);
}

}  // namespace

Health::Health(const HealthRecord& record, core::Now now)
    : failures_(record.failures),
      first_failure_(record.first_failure),
      last_failure_(record.last_failure),
      last_success_(record.last_success),
      reason_(record.reason),
      pauses_(record.pauses) {
  // A clock that was wrong when this was written must not silence a relay for years.
  const auto soon = [&](core::UnixSeconds at) {
    return std::min(to_instant(at, now), now.instant + kWaitMax);
  };
  if (record.next_retry) next_retry_ = soon(*record.next_retry);
  if (record.paused_until) paused_until_ = soon(*record.paused_until);
  if (first_failure_) first_failure_ = std::min(*first_failure_, now.unix_seconds);
}

HealthRecord Health::record(core::Now now) const {
  HealthRecord out{.failures = failures_,
                   .first_failure = first_failure_,
                   .last_failure = last_failure_,
                   .last_success = last_success_,
                   .next_retry = {},
                   .reason = reason_,
                   .paused_until = {},
                   .pauses = pauses_};
  if (next_retry_ > now.instant) out.next_retry = due_at(next_retry_, now);
  const bool is_quiet = !paused_until_ || now.instant - *paused_until_ >= kQuiet;
  if (is_quiet) {
    out.pauses = 0;
  } else {
    out.paused_until = due_at(*paused_until_, now);
  }
  return out;
}

void Health::connected(core::Now now) {
  up_since_ = now.instant;
  last_success_ = now.unix_seconds;
}

bool Health::is_dead(const Options& options, core::Now now) const {
  return first_failure_ && failures_ > 0 &&
         now.unix_seconds - *first_failure_ >= core::whole_seconds(options.dead_after);
}

void Health::fail(const Options& options, core::Now now, const std::string& reason) {
  ++failures_;
  if (!first_failure_) first_failure_ = now.unix_seconds;
  last_failure_ = now.unix_seconds;
  reason_ = reason;
  const core::Duration wait =
      is_dead(options, now) ? options.dead_retry
                            : doubled(options.backoff_base, failures_ - 1, options.backoff_max);
  next_retry_ = now.instant + wait;
}

void Health::dropped(const Options& options, core::Now now, bool served, const std::string& reason,
                     core::Rng& rng) {
  settle(options, now);
  const bool was_stable = up_since_ && now.instant - *up_since_ >= options.stable_after;
  up_since_.reset();
  reason_ = reason;
  last_success_ = now.unix_seconds;
  if (was_stable) {  // R3
    next_retry_ = now.instant + core::Duration(rng.below(kJitterMs));
    return;
  }
  fail(options, now, reason);
  if (!served) return;
  first_failure_ = now.unix_seconds;  // R4
  next_retry_ = now.instant + options.backoff_base;
}

void Health::left(const Options& options, core::Now now) {
  settle(options, now);
  up_since_.reset();
  last_success_ = now.unix_seconds;
}

void Health::retry_now(core::Now now) {
  next_retry_ = now.instant;
  if (is_paused(now)) paused_until_ = now.instant;
  policy_until_.reset();
}

void Health::dial_failed(const Options& options, core::Now now, const std::string& reason) {
  fail(options, now, reason);
}

void Health::dial_unblamed(const Options& options, core::Now now) {
  failures_ = 0;
  first_failure_.reset();
  next_retry_ = now.instant + options.backoff_base;
}

void Health::settle(const Options& options, core::Now now) {
  if (!up_since_ || now.instant - *up_since_ < options.stable_after || failures_ == 0) return;
  failures_ = 0;
  first_failure_.reset();
}

bool Health::rate_limited(const Options& options, core::Now now,
                          std::optional<core::Duration> wait) {
  if (is_paused(now)) return false;
  if (paused_until_ && now.instant - *paused_until_ >= kQuiet) pauses_ = 0;
  const core::Duration own = doubled(options.rate_pause, pauses_, options.rate_pause_max);
  const core::Duration told = std::max(wait.value_or(own), options.backoff_base);
  paused_until_ = now.instant + std::min(told, options.rate_pause_max);
  ++pauses_;
  return true;
}

core::Duration Health::request_failed(const Options& options) {
  return doubled(options.rate_pause, incomplete_++, options.rate_pause_max);
}

core::Instant Health::may_dial_at() const {
  return paused_until_ ? std::max(next_retry_, *paused_until_) : next_retry_;
}

HealthState Health::state(const Options& options, core::Now now) const {
  if (policy_until_ && now.instant < *policy_until_) return HealthState::PolicyLimited;
  if (is_paused(now)) return HealthState::RateLimited;
  if (up_since_) {
    const bool stable = failures_ == 0 || now.instant - *up_since_ >= options.stable_after;
    return stable ? HealthState::Healthy : HealthState::Degraded;
  }
  if (is_dead(options, now)) return HealthState::Dead;
  return failures_ > 0 ? HealthState::Degraded : HealthState::Disconnected;
}

}  // namespace graspd::sync
