#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kConcurrencyWait = 1s;
constexpr core::Duration kCapacityWait = 5s;
constexpr std::uint64_t kRetainedDefault = 1 << 20;
constexpr std::uint64_t kRetainedMin = 2048;  // less cannot hold one filter of any use
constexpr core::UnixSeconds kNegentropyMemory = 7 * 86'400;

core::Duration repair_wait(const Options& options, std::uint32_t repairs) {
  core::Duration wait = options.rate_pause;
  for (; repairs > 0 && wait < options.rate_pause_max; --repairs) wait *= 2;
  return std::min(wait, options.rate_pause_max);
}

// It may be about one of several filters.
bool is_about_filters(RefusalKind kind) {
  return kind == RefusalKind::Size || kind == RefusalKind::BadFilter ||
         kind == RefusalKind::LimitZero || kind == RefusalKind::LimitTooLarge;
}

}  // namespace

RequestClass PeerSession::class_of(const Wire& wire) {
  const bool is_by_id = wire.purpose == Wire::Purpose::Fetch ||
                        wire.purpose == Wire::Purpose::Lost || wire.purpose == Wire::Purpose::Probe;
  if (is_by_id) return RequestClass::Ids;
  if (wire.purpose == Wire::Purpose::Live) {
    return request_class(live_.at(wire.group).slices.front().filter_class);
  }
  const Job* job = find_job(wire.job);
  CHECK(job != nullptr);
  return request_class(job->slices.front().filter_class);
}

void PeerSession::on(core::Now now, const Closed& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end() || at->second.ended) return;  // R2
  at->second.closed = true;                            // by them: nothing to close
  if (at->second.purpose == Wire::Purpose::Reconcile) {
    NegFailed failed{memory_.id, session_, in.sub, NegProblem::Refused, in.text, {}, {}};
    return reconciliation_refused(now, at, failed);
  }
  refused(now, at, in.text);
}

void PeerSession::on(core::Now now, const NegFailed& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end()) return;
  if (in.problem != NegProblem::Refused) close_wire(at->first, at->second);
  at->second.closed = true;
  reconciliation_refused(now, at, in);
}

void PeerSession::rate_limited(core::Now now) {
  pace_.refused(now.instant);
  if (!memory_.health.rate_limited(context_.options, now, {})) return;
  ++memory_.meter.rate_limits;
  memory_.dirty = true;
  context_.log(core::log::Level::Info, "sync: {} asks us to slow down", memory_.url.text());
}

void PeerSession::policy(core::Now now, RequestClass request_class, const std::string& text) {
  const core::Instant until = now.instant + context_.options.policy_pause;
  if (const char* category = policy_category(text)) ++memory_.meter.policy_refusals[category];
  if (memory_.policy_until.contains(request_class)) return;
  memory_.policy_until[request_class] = until;
  memory_.dirty = true;
  memory_.health.policy_limited(until);
  context_.log(core::log::Level::Warn, "sync: {} refuses us: {}", memory_.url.text(), text);
}

void PeerSession::lesson_learnt(core::Now now) {
  memory_.dirty = true;
  const Budget before = budget_;
  budget_ = make_budget(memory_.information, memory_.lessons);
  budget_.reconciliations_max = std::min(budget_.reconciliations_max, before.reconciliations_max);
  budget_.transients_max = std::min(budget_.transients_max, before.transients_max);
  budget_.live_slots = std::min(budget_.live_slots, before.live_slots);
  budget_.slots = std::min(budget_.slots, before.slots);
  plan_live_set(now);
}

// What came of it before is read, unless we failed to take it.
void PeerSession::break_page(const Wire& wire) {
  Job* job = find_job(wire.job);
  if (job == nullptr || !job->pages) return;
  wire.our_fault ? job->pages->discarded() : job->pages->broken();
}

// The request will be sent again, as if it had not been.
void PeerSession::requeue(core::Now now, const Wire& wire, core::Instant not_before) {
  switch (wire.purpose) {
    case Wire::Purpose::Live:
      return reopen(now, live_.at(wire.group), not_before);
    case Wire::Purpose::Fetch:
      return fetches_.put_back({wire.ids.begin(), wire.ids.end()});
    case Wire::Purpose::Lost:
    case Wire::Purpose::Probe:
      return;  // it has its own next time
    case Wire::Purpose::Page:
      break_page(wire);
      return job_again(wire.job, not_before);
    case Wire::Purpose::Proof:
      for (const JobKey key : wire.sharing) job_again(key, not_before);
      return;
    case Wire::Purpose::Sweep:
    case Wire::Purpose::Reconcile:
      return job_again(wire.job, not_before);
  }
}

// The request failed; its batch tries again later.
void PeerSession::fail_wire(core::Now now, const Wire& wire, const std::string& why) {
  switch (wire.purpose) {
    case Wire::Purpose::Live:
    case Wire::Purpose::Lost:
    case Wire::Purpose::Probe:
      return;
    case Wire::Purpose::Fetch:
      return finish_fetch(now, wire);
    case Wire::Purpose::Sweep:
      expand(now, wire.job, Job::Phase::Stuck);
      return check_batch(now, wire.job.batch);
    case Wire::Purpose::Proof:
      ask_alone(wire);
      for (const JobKey key : wire.sharing) job_stuck(now, key, why);
      return;
    case Wire::Purpose::Page:
      break_page(wire);
      return job_stuck(now, wire.job, why);
    case Wire::Purpose::Reconcile:
      return job_stuck(now, wire.job, why);
  }
}

void PeerSession::refused(core::Now now, Wires::iterator at, const std::string& text) {
  const Wire wire = at->second;
  const RequestClass request_class = class_of(wire);
  wires_.erase(at);
  const auto group = live_.find(wire.purpose == Wire::Purpose::Live ? wire.group : 0);
  if (group != live_.end()) live_since_.reset();
  if (group != live_.end() && group->second.retiring) return lose_retiring(now, wire.group);
  if (comply(now, wire, read_refusal(text), text)) return;
  // Not welcome: this class of requests pauses.
  if (group != live_.end() && group->second.slices.size() > 1 && !memory_.split_classes) {
    memory_.split_classes = true;  // first find out which class it is
    reopen(now, group->second, now.instant);
    return plan_live_set(now);
  }
  policy(now, request_class, text);
  if (group != live_.end()) {
    return reopen(now, group->second, memory_.policy_until.at(request_class));
  }
  if (request_class == RequestClass::Ids) page_what_waits();
  fail_wire(now, wire, text);
}

// What is not given by id may be given by filter.
void PeerSession::page_what_waits() {
  for (auto& [id, batch] : batches_) {
    for (auto& [number, job] : batch.jobs) {
      if (job.ids_waiting > 0 && job.phase == Job::Phase::Fetching) page_instead({id, number});
    }
  }
}

// Does what the table says; false when we are simply not wanted.
bool PeerSession::comply(core::Now now, const Wire& wire, const Refusal& refusal,
                         const std::string& text) {
  const bool is_live = wire.purpose == Wire::Purpose::Live;
  const bool is_proof = wire.purpose == Wire::Purpose::Proof;
  if (is_proof && is_about_filters(refusal.kind)) return ask_alone(wire), true;
  switch (refusal.kind) {
    case RefusalKind::AuthRequired:
      if (!will_be_known(now, wire)) return false;
      requeue(now, wire, now.instant);
      return true;
    case RefusalKind::RateLimit:
      rate_limited(now);
      requeue(now, wire, now.instant);
      return true;
    case RefusalKind::Concurrency:
      requeue(now, wire, now.instant + kConcurrencyWait);
      too_many_at_once(now, is_live);
      return true;
    case RefusalKind::RetainedBytes:
      requeue(now, wire, now.instant + kCapacityWait);
      too_many_bytes(now, wire, refusal.bytes.value_or(kRetainedDefault));
      return true;
    case RefusalKind::FilterCount:
      if (wire.filters <= 1) return false;
      fewer_filters(now, wire, text);
      return true;
    case RefusalKind::Size:
      if (is_live || class_of(wire) == RequestClass::Ids)
        return come_back_later(now, wire, text), true;
      too_large(now, wire.job, text);
      return true;
    case RefusalKind::BadFilter:
      if (is_live) {
        reopen(now, live_.at(wire.group), now.instant);
        split_group(now, wire.group);
      } else if (class_of(wire) == RequestClass::Ids) {
        fail_wire(now, wire, text);
      } else {
        split_values(now, wire.job);
      }
      return true;
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
      if (wire.purpose == Wire::Purpose::Sweep)  // pages find out what it takes
        return expand(now, wire.job, Job::Phase::Ready), true;
      if (is_live ? !live_without_zero() : !lower_limit(wire)) {
        come_back_later(now, wire, text);
      } else {
        requeue(now, wire, now.instant);
      }
      return true;
    case RefusalKind::Policy:
      return false;
    case RefusalKind::Other:
      come_back_later(now, wire, text);
      return true;
  }
  CHECK(false);
  return false;
}

void PeerSession::come_back_later(core::Now now, const Wire& wire, const std::string& text) {
  if (wire.purpose != Wire::Purpose::Live) return fail_wire(now, wire, text);
  LiveGroup& group = live_.at(wire.group);
  requeue(now, wire, now.instant + repair_wait(context_.options, group.repairs++));
}

bool PeerSession::live_without_zero() {
  memory_.dirty = true;
  return !std::exchange(memory_.lessons.limit_zero_refused, true);
}

// Less is asked for at a time; false when that is little already.
bool PeerSession::lower_limit(const Wire& wire) {
  if (class_of(wire) == RequestClass::Ids) {
    const bool was_many = budget_.ids_max > 1;
    budget_.ids_max = std::max<std::size_t>(budget_.ids_max / 2, 1);
    budget_.ids_per_fetch = std::min(budget_.ids_per_fetch, budget_.ids_max);
    return was_many;
  }
  Job* job = find_job(wire.job);
  if (job == nullptr || !job->pages || !job->pages->lower_limit()) return false;
  budget_.page_limits = job->pages->limits();
  return true;
}

void PeerSession::fewer_filters(core::Now now, const Wire& wire, const std::string& text) {
  std::size_t& max = memory_.lessons.filters_per_req_max;
  max = std::max<std::size_t>(1, std::min(max, wire.filters) / 2);
  if (const char* category = policy_category(text)) ++memory_.meter.policy_refusals[category];
  requeue(now, wire, now.instant);
  if (wire.purpose == Wire::Purpose::Sweep) expand(now, wire.job, Job::Phase::Ready);
  lesson_learnt(now);
}

void PeerSession::too_many_at_once(core::Now now, bool is_live) {
  if (!is_live && budget_.transients_max > 1) {
    --budget_.transients_max;
    return;
  }
  // Live subscriptions leave no space: what is open now is what there is.
  budget_.slots = std::clamp<std::size_t>(open_wires(), 2, budget_.slots);
  budget_.live_slots = std::min(budget_.live_slots, budget_.slots - 1);
  plan_live_set(now);
  make_space(now);
}

void PeerSession::too_many_bytes(core::Now now, const Wire& wire, std::uint64_t cap) {
  auto& learnt = memory_.lessons.retained_bytes_max;
  learnt = learnt && *learnt <= cap ? std::max(*learnt * 3 / 4, kRetainedMin) : cap;
  lesson_learnt(now);
  make_space(now);
  Job* job = wire.purpose == Wire::Purpose::Live ? nullptr : find_job(wire.job);
  if (job == nullptr || group_bytes(context_.index, job->slices) <= budget_.req_bytes) return;
  if (job->slices.size() > 1) return expand(now, wire.job, Job::Phase::Ready);
  if (job->slices.front().ids.size() > 1) halve(*job, batches_.at(wire.job.batch));
}

void PeerSession::reconciliation_refused(core::Now now, Wires::iterator at, const NegFailed& in) {
  const Wire wire = at->second;
  wires_.erase(at);
  if (in.problem == NegProblem::OursUnread) {
    return job_stuck(now, wire.job, "our inventory could not be read");
  }
  const Refusal refusal = read_refusal(in.text);
  const bool is_size = in.problem == NegProblem::OursTooLarge || in.cap || is_too_large(in.text);
  if (is_size) return split_by_time(now, wire.job, in.middle);
  switch (refusal.kind) {
    case RefusalKind::Concurrency:
      budget_.reconciliations_max = std::max<std::size_t>(budget_.reconciliations_max - 1, 1);
      return requeue(now, wire, now.instant + kConcurrencyWait);
    case RefusalKind::RateLimit:
      rate_limited(now);
      return requeue(now, wire, now.instant);
    case RefusalKind::AuthRequired:
      if (!will_be_known(now, wire)) break;
      return requeue(now, wire, now.instant);
    default:
      break;
  }
  no_negentropy(now, wire.job, in.text);
}

// Remembered for this relay; what was to be reconciled is paged.
void PeerSession::no_negentropy(core::Now now, JobKey key, const std::string& text) {
  page_instead(key);
  if (memory_.lessons.negentropy_worked && text == "silence") return;
  memory_.lessons.negentropy_refused_until = now.unix_seconds + kNegentropyMemory;
  memory_.lessons.negentropy_worked = false;
  memory_.dirty = true;
  for (auto& [id, batch] : batches_) sweep_instead(batch);
  if (memory_.negentropy_refusal_logged) return;
  memory_.negentropy_refusal_logged = true;
  context_.log(core::log::Level::Info, "sync: {} does not reconcile ({}): reading pages",
               memory_.url.text(), text);
}

}  // namespace graspd::sync
