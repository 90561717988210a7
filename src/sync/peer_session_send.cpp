#include <algorithm>
#include <chrono>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

// Ids that wait to be asked for: no relay can make us remember all that it makes up.
constexpr std::size_t kFetchAheadMax = 20'000;
// Of each filter of a sweep: ten of them stay far below what counts as a flood.
constexpr std::uint64_t kSweepLimit = 500;

}  // namespace

bool PeerSession::take_token(core::Now now) {
  const core::Instant ready = pace_.ready_at(now.instant);
  if (ready > now.instant) {
    pace_at_ = ready;
    return false;
  }
  pace_.take(now.instant);
  return true;
}

bool PeerSession::is_admitted(core::Now now) {
  const bool admitted = context_.history.enter(memory_.id, now.instant);
  turned_away_ |= !admitted;
  return admitted;
}

bool PeerSession::has_slot() const { return open_wires() < budget_.slots; }

std::size_t PeerSession::transients_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    const Wire& wire = one.second;
    return !wire.closed && wire.purpose != Wire::Purpose::Live &&
           wire.purpose != Wire::Purpose::Reconcile;
  }));
}

std::size_t PeerSession::reconciliations_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    return !one.second.closed && one.second.purpose == Wire::Purpose::Reconcile;
  }));
}

void PeerSession::subscribe(core::Now now, Wire wire, Source source,
                            std::vector<nostr::Filter> filters) {
  CHECK(has_slot());  // R3
  const Sub sub = context_.next_sub();
  wire.opened = wire.progressed = now.instant;
  wire.authenticated = auth_ == Auth::Accepted;
  wires_.emplace(sub, std::move(wire));
  ++memory_.meter.requests;
  context_.ask(Subscribe{memory_.id, session_, sub, source,
                         std::make_shared<const std::vector<nostr::Filter>>(std::move(filters))});
}

void PeerSession::close_wire(Sub sub, Wire& wire) {
  CHECK(!wire.closed);
  wire.closed = true;
  if (wire.purpose == Wire::Purpose::Reconcile) {
    context_.ask(NegClose{memory_.id, session_, sub});
  } else {
    context_.ask(Unsubscribe{memory_.id, session_, sub});
  }
}

bool PeerSession::is_paused_class(core::Now now, RequestClass request_class) const {
  const auto pause = memory_.policy_until.find(request_class);
  return pause != memory_.policy_until.end() && pause->second > now.instant;
}

// Wide enough to bring all there is with one request, as a rule. What was read before is not likely
// to bring anything.
std::uint64_t PeerSession::sweep_limit(const Batch& batch) const {
  const std::uint64_t wanted = batch.source == Source::Daily ? kCapMin : kSweepLimit;
  return std::min<std::uint64_t>(wanted, budget_.page_limits.page);
}

// A small answer may be all that the relay gives at a time, also of one that gave more before.
bool PeerSession::is_complete_sweep(const Wire& wire) const {
  if (wire.completeness != nostr::Completeness::Unknown)
    return wire.completeness == nostr::Completeness::Finished;
  return wire.arrived == 0;
}

void PeerSession::pump(core::Now now) {
  pace_at_.reset();
  if (memory_.health.is_paused(now) || auth_ == Auth::Asked || !offence_.empty()) {  // R4
    if (transients_open() + reconciliations_open() == 0) context_.history.leave(memory_.id);
    return;
  }
  pump_live(now);
  catch_up_live(now);
  pump_reconciliations(now);
  rotate(now);
  pump_history(now);
}

// What was promised is fetched before more is heard of.
void PeerSession::pump_reconciliations(core::Now now) {
  std::vector<JobKey> pointless;
  for (auto& [sub, wire] : wires_) {
    if (!wire.more || wire.closed) continue;
    const bool is_far_ahead = fetches_.queued() >= kFetchAheadMax;
    if (is_far_ahead && is_paused_class(now, RequestClass::Ids)) pointless.push_back(wire.job);
    if (is_far_ahead || !take_token(now)) continue;
    wire.more = false;
    wire.progressed = now.instant;
    context_.ask(NegContinue{memory_.id, session_, sub});
  }
  for (const JobKey key : pointless) stop_reconciling(key);
}

void PeerSession::pump_history(core::Now now) {
  turned_away_ = false;
  bool blocked = live_is_waiting(now) && live_open() < budget_.live_slots;  // R4
  while (!blocked && (send_fetch(now) || send_lost(now) || send_next_job(now) || send_probe(now))) {
    blocked = pace_at_.has_value();
  }
  if (transients_open() + reconciliations_open() > 0) return;
  if (turned_away_) {
    context_.history.yield(memory_.id);
  } else {
    context_.history.leave(memory_.id);
  }
}

bool PeerSession::send_fetch(core::Now now) {
  if (!fetches_.has_work() || !has_slot() || transients_open() >= budget_.transients_max) {
    return false;
  }
  if (is_paused_class(now, RequestClass::Ids)) {
    page_what_waits();
    return false;
  }
  if (!is_admitted(now) || !take_token(now)) return false;
  const auto ids = fetches_.take(budget_.ids_per_fetch);
  if (ids.empty()) return false;
  Wire wire;
  wire.purpose = Wire::Purpose::Fetch;
  wire.ids = {ids.begin(), ids.end()};
  nostr::Filter filter;
  filter.ids = std::vector<nostr::EventId>(wire.ids.begin(), wire.ids.end());
  filter.limit = ids.size();
  memory_.meter.ids_requested += ids.size();
  memory_.meter.stream.requested += ids.size();
  const auto batch = batches_.find(fetches_.wanted_by(ids.front()).value_or(JobKey{}).batch);
  const Source source = batch == batches_.end() ? Source::Historic : batch->second.source;
  subscribe(now, std::move(wire), source, {std::move(filter)});
  return true;
}

bool PeerSession::send_lost(core::Now now) {
  const auto due = memory_.lost.next_due();
  const bool is_asking = std::any_of(wires_.begin(), wires_.end(), [](const auto& one) {
    return one.second.purpose == Wire::Purpose::Lost;
  });
  if (!due || *due > now.instant || is_asking || !has_slot()) return false;
  if (transients_open() >= budget_.transients_max) return false;
  if (is_paused_class(now, RequestClass::Ids)) return false;
  if (!is_admitted(now) || !take_token(now)) return false;
  const auto ids = memory_.lost.take_due(context_.options, now.instant, budget_.ids_per_fetch);
  if (ids.empty()) return false;
  memory_.dirty = true;
  Wire wire;
  wire.purpose = Wire::Purpose::Lost;
  wire.ids = {ids.begin(), ids.end()};
  nostr::Filter filter;
  filter.ids = std::vector<nostr::EventId>(wire.ids.begin(), wire.ids.end());
  filter.limit = ids.size();
  memory_.meter.recovery.requested += ids.size();
  subscribe(now, std::move(wire), Source::Historic, {std::move(filter)});
  return true;
}

// Until it is known that a relay reconciles, one attempt tells.
std::size_t PeerSession::reconciliations_max(core::Now now) const {
  const auto& information = memory_.information;
  const bool is_known = memory_.lessons.negentropy_worked ||
                        (information && information->supported_nips &&
                         may_reconcile(information, memory_.lessons, now.unix_seconds));
  return is_known ? budget_.reconciliations_max : 1;
}

bool PeerSession::may_send(core::Now now, const Job& job) const {
  if (job.phase != Job::Phase::Ready || job.not_before > now.instant) return false;
  if (job.slices.empty()) return false;
  if (is_paused_class(now, request_class(job.slices[0].filter_class))) return false;
  // One more than pages may use, so that a slow page does not keep what is new from being read.
  const std::size_t sweeps_max = budget_.transients_max + (budget_.transients_max > 1 ? 1 : 0);
  switch (job.method) {
    case Job::Method::Reconcile:
      return reconciliations_open() < reconciliations_max(now);
    case Job::Method::Sweep:
      return transients_open() < sweeps_max;
    case Job::Method::Pages:
      return transients_open() < budget_.transients_max;
  }
  CHECK(false);
  return false;
}

// Sweeps bring much for one request: they go before the pages that prove them.
bool PeerSession::send_next_job(core::Now now) {
  if (!has_slot()) return false;
  std::optional<JobKey> next;
  for (auto& [id, batch] : batches_) {
    for (auto& [number, job] : batch.jobs) {
      const bool is_first = job.method == Job::Method::Sweep && batch.kind != Batch::Kind::Rotation;
      if ((next && !is_first) || !may_send(now, job)) continue;
      next = JobKey{id, number};
      if (is_first) break;
    }
    if (next && find_job(*next)->method == Job::Method::Sweep) break;
  }
  if (!next || !is_admitted(now) || !take_token(now)) return false;
  Batch& batch = batches_.at(next->batch);
  const auto sharing = sharing_with(now, *next);
  const bool is_proof = batch.jobs.at(next->job).expected_end() == PageRead::End::NothingNew;
  if (sharing.size() > 1 || (is_proof && budget_.filters_per_req > 1)) {
    send_proof(now, sharing, batch.source);
  } else {
    send_job(now, *next, batch, batch.jobs.at(next->job));
  }
  return true;
}

void PeerSession::start_pages(Job& job) {
  if (job.pages) return;
  if (!holds_back(job)) job.held_back = 0;
  job.pages.emplace(to_filter(context_.index, job.slices[0]), job.window, budget_.page_limits,
                    job.held_back);
}

// It did, and gave no more since.
bool PeerSession::holds_back(const Job& job) const {
  return job.held_back > 0 &&
         !memory_.recent_answers.gave_more_than(job.held_back + kStrays, job.held_back_at);
}

void PeerSession::send_job(core::Now now, JobKey key, Batch& batch, Job& job) {
  job.phase = Job::Phase::Flying;
  Wire wire;
  wire.job = key;
  wire.filters = job.slices.size();
  std::vector<nostr::Filter> filters;
  for (const Slice& slice : job.slices) filters.push_back(to_filter(context_.index, slice));
  for (nostr::Filter& filter : filters) {
    filter.since = job.window.since;
    filter.until = job.window.until;
  }
  switch (job.method) {
    case Job::Method::Sweep:
      wire.purpose = Wire::Purpose::Sweep;
      for (nostr::Filter& filter : filters) filter.limit = sweep_limit(batch);
      break;
    case Job::Method::Pages:
      wire.purpose = Wire::Purpose::Page;
      start_pages(job);
      filters = {job.pages->ask()};
      ++memory_.meter.pages;
      break;
    case Job::Method::Reconcile: {
      wire.purpose = Wire::Purpose::Reconcile;
      wire.sent = false;
      wire.opened = wire.progressed = now.instant;
      wire.authenticated = auth_ == Auth::Accepted;
      const Sub sub = context_.next_sub();
      wires_.emplace(sub, std::move(wire));
      ++memory_.meter.reconciliations;
      context_.ask(NegOpen{memory_.id, session_, sub, std::move(filters[0]), budget_.frame_bytes,
                           budget_.window_items, asked_of(job.slices[0])});
      return;
    }
  }
  subscribe(now, std::move(wire), batch.source, std::move(filters));
}

// A relay is not asked to have the announcements of repositories that do not name it.
std::optional<std::vector<nostr::Address>> PeerSession::asked_of(const Slice& slice) const {
  if (!names_repositories(slice)) return std::nullopt;
  const Items& target = context_.targets.of(memory_.id);
  std::vector<nostr::Address> asked;
  for (const std::uint32_t id : (target.repos | target.states).to_vector())
    asked.push_back(context_.index.at(RepoId{id}).address);
  return asked;
}

std::optional<core::Instant> PeerSession::next_due(core::Now now) {
  const Options& options = context_.options;
  core::Instant due = std::max(last_ping_, last_frame_) + options.ping_every;
  const auto sooner = [&](std::optional<core::Instant> at) {
    if (at && *at > now.instant) due = std::min(due, *at);
  };
  due = std::min(due, last_frame_ + options.silent_max);
  sooner(pace_at_);
  sooner(memory_.health.paused_until());
  if (auth_ == Auth::Asked) sooner(auth_asked_at_ + options.progress_max);
  for (const auto& [sub, wire] : wires_) {
    const auto end = deadline(wire);
    if (end) due = std::min(due, *end);
  }
  for (const auto& [id, group] : live_) {
    sooner(group.not_before);
    if (!group.unproven) continue;
    sooner(group.believed_at + kBelievedFor);
    sooner(now.instant + std::chrono::seconds(unproven_read_at(group) - now.unix_seconds));
  }
  sooner(memory_.unpark_at);
  sooner(memory_.reread_at);
  sooner(memory_.recheck_at);
  if (wants_probe()) sooner(probe_at_);
  for (const auto& [id, batch] : batches_) {
    if (batch.failed) sooner(batch.retry_at);
    for (const auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Ready) sooner(job.not_before);
    }
  }
  if (!plan_.rotating.empty()) sooner(rotate_at_);
  for (const auto& [request_class, until] : memory_.policy_until) sooner(until);
  sooner(memory_.lost.next_due());
  if (memory_.health.failures() > 0) sooner(since_ + options.stable_after);
  return due;
}

}  // namespace graspd::sync
