#include "sync/health.h"

#include <algorithm>
#include <chrono>

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kQuiet = 5min;  // after a pause, to forget that there was one
constexpr std::uint64_t kJitterMs = 2000;

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
  if (record.next_retry) next_retry_ = to_instant(*record.next_retry, now);
  if (record.paused_until) paused_until_ = to_instant(*record.paused_until, now);
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
  if (is_paused(now)) out.paused_until = due_at(*paused_until_, now);
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
  const core::Duration told = std::min(wait.value_or(own), options.rate_pause_max);
  paused_until_ = now.instant + std::max(told, wait ? told : own);
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
