#include <algorithm>

#include "core/check.h"
#include "sync/connection.h"

namespace graspd::sync {
namespace {

// Ids that wait to be asked for: no relay can make us remember all that it makes up.
constexpr std::size_t kFetchAheadMax = 20'000;

}  // namespace

bool Connection::take_token(core::Now now) {
  const core::Instant ready = pace_.ready_at(now.instant);
  if (ready > now.instant) {
    pace_at_ = ready;
    return false;
  }
  pace_.take(now.instant);
  return true;
}

bool Connection::is_admitted(core::Now now) {
  const bool admitted = desk_.history.enter(memory_.id, now.instant);
  turned_away_ |= !admitted;
  return admitted;
}

bool Connection::has_slot() const { return open_wires() < budget_.slots; }

std::size_t Connection::transients_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    const Wire& wire = one.second;
    return !wire.closed && wire.purpose != Wire::Purpose::Live &&
           wire.purpose != Wire::Purpose::Reconcile;
  }));
}

std::size_t Connection::reconciliations_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    return !one.second.closed && one.second.purpose == Wire::Purpose::Reconcile;
  }));
}

void Connection::subscribe(core::Now now, Wire wire, Source source,
                           std::vector<nostr::Filter> filters) {
  CHECK(has_slot());  // R3
  const Sub sub = desk_.next_sub();
  wire.opened = wire.progressed = now.instant;
  wire.authenticated = auth_ == Auth::Accepted;
  wires_.emplace(sub, std::move(wire));
  ++memory_.meter.requests;
  desk_.ask(Subscribe{memory_.id, session_, sub, source,
                      std::make_shared<const std::vector<nostr::Filter>>(std::move(filters))});
}

void Connection::close_wire(Sub sub, Wire& wire) {
  CHECK(!wire.closed);
  wire.closed = true;
  if (wire.purpose == Wire::Purpose::Reconcile) {
    desk_.ask(NegClose{memory_.id, session_, sub});
  } else {
    desk_.ask(Unsubscribe{memory_.id, session_, sub});
  }
}

bool Connection::is_paused_class(core::Now now, RequestClass request_class) const {
  const auto pause = memory_.policy_until.find(request_class);
  return pause != memory_.policy_until.end() && pause->second > now.instant;
}

std::uint64_t Connection::sweep_limit() const {
  return std::min<std::uint64_t>(kCapMin, budget_.page_limits.page);
}

// A small answer is a whole one only from a relay that was seen to give more at a time.
bool Connection::is_complete_sweep(const Wire& wire) const {
  if (wire.completeness != nostr::Completeness::Unknown)
    return wire.completeness == nostr::Completeness::Finished;
  const bool gives_many =
      memory_.answers.proven() >= kCapMin || (memory_.gives_many && !memory_.answers.is_cap);
  return wire.arrived == 0 || (wire.arrived < sweep_limit() && gives_many);
}

void Connection::pump(core::Now now) {
  pace_at_.reset();
  if (memory_.health.is_paused(now) || auth_ == Auth::Asked || !offence_.empty()) {  // R4
    if (transients_open() + reconciliations_open() == 0) desk_.history.leave(memory_.id);
    return;
  }
  pump_live(now);
  catch_up_live(now);
  pump_reconciliations(now);
  rotate(now);
  pump_history(now);
}

// What was promised is fetched before more is heard of.
void Connection::pump_reconciliations(core::Now now) {
  std::vector<JobKey> pointless;
  for (auto& [sub, wire] : wires_) {
    if (!wire.more || wire.closed) continue;
    const bool is_far_ahead = fetches_.queued() >= kFetchAheadMax;
    if (is_far_ahead && is_paused_class(now, RequestClass::Ids)) pointless.push_back(wire.job);
    if (is_far_ahead || !take_token(now)) continue;
    wire.more = false;
    wire.progressed = now.instant;
    desk_.ask(NegContinue{memory_.id, session_, sub});
  }
  for (const JobKey key : pointless) stop_reconciling(key);
}

void Connection::pump_history(core::Now now) {
  turned_away_ = false;
  bool blocked = live_is_waiting(now) && live_open() < budget_.live_slots;  // R4
  while (!blocked && (send_fetch(now) || send_next_job(now) || send_lost(now) || send_probe(now))) {
    blocked = pace_at_.has_value();
  }
  if (transients_open() + reconciliations_open() > 0) return;
  if (turned_away_) {
    desk_.history.yield(memory_.id);
  } else {
    desk_.history.leave(memory_.id);
  }
}

bool Connection::send_fetch(core::Now now) {
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

bool Connection::send_lost(core::Now now) {
  const auto due = memory_.lost.next_due();
  const bool is_asking = std::any_of(wires_.begin(), wires_.end(), [](const auto& one) {
    return one.second.purpose == Wire::Purpose::Lost;
  });
  if (!due || *due > now.instant || is_asking || !has_slot()) return false;
  if (transients_open() >= budget_.transients_max) return false;
  if (is_paused_class(now, RequestClass::Ids)) return false;
  if (!is_admitted(now) || !take_token(now)) return false;
  const auto ids = memory_.lost.take_due(desk_.options, now.instant, budget_.ids_per_fetch);
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

bool Connection::send_next_job(core::Now now) {
  const bool may_ask = transients_open() < budget_.transients_max;
  const bool may_reconcile = reconciliations_open() < budget_.reconciliations_max;
  if (!has_slot() || (!may_ask && !may_reconcile)) return false;
  for (auto& [id, batch] : batches_) {
    for (auto& [number, job] : batch.jobs) {
      if (job.phase != Job::Phase::Ready || job.not_before > now.instant) continue;
      if (job.slices.empty()) continue;
      if (is_paused_class(now, request_class(job.slices[0].filter_class))) continue;
      if (!(job.method == Job::Method::Reconcile ? may_reconcile : may_ask)) continue;
      if (!is_admitted(now) || !take_token(now)) return false;
      send_job(now, {id, number}, batch, job);
      return true;
    }
  }
  return false;
}

void Connection::send_job(core::Now now, JobKey key, Batch& batch, Job& job) {
  job.phase = Job::Phase::Flying;
  Wire wire;
  wire.job = key;
  wire.filters = job.slices.size();
  std::vector<nostr::Filter> filters;
  for (const Slice& slice : job.slices) filters.push_back(to_filter(desk_.index, slice));
  for (nostr::Filter& filter : filters) {
    filter.since = job.window.since;
    filter.until = job.window.until;
  }
  switch (job.method) {
    case Job::Method::Sweep:
      wire.purpose = Wire::Purpose::Sweep;
      for (nostr::Filter& filter : filters) filter.limit = sweep_limit();
      break;
    case Job::Method::Pages:
      wire.purpose = Wire::Purpose::Page;
      if (!job.pages) job.pages.emplace(filters[0], job.window, budget_.page_limits);
      filters = {job.pages->ask()};
      ++memory_.meter.pages;
      break;
    case Job::Method::Reconcile: {
      wire.purpose = Wire::Purpose::Reconcile;
      wire.sent = false;
      wire.opened = wire.progressed = now.instant;
      wire.authenticated = auth_ == Auth::Accepted;
      const Sub sub = desk_.next_sub();
      wires_.emplace(sub, std::move(wire));
      ++memory_.meter.reconciliations;
      desk_.ask(NegOpen{memory_.id, session_, sub, std::move(filters[0]), budget_.frame_bytes,
                        budget_.window_items, asked_of(job.slices[0])});
      return;
    }
  }
  subscribe(now, std::move(wire), batch.source, std::move(filters));
}

// A relay is not asked to have the announcements of repositories that do not name it.
std::optional<std::vector<nostr::Address>> Connection::asked_of(const Slice& slice) const {
  if (!names_repositories(slice)) return std::nullopt;
  const Items& target = desk_.targets.of(memory_.id);
  std::vector<nostr::Address> asked;
  for (const std::uint32_t id : (target.repos | target.states).to_vector())
    asked.push_back(desk_.index.at(RepoId{id}).address);
  return asked;
}

std::optional<core::Instant> Connection::next_due(core::Now now) {
  const Options& options = desk_.options;
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
    if (group.unproven) sooner(group.believed_at + kBelievedFor);
  }
  sooner(memory_.unpark_at);
  sooner(reread_at_);
  sooner(memory_.recheck_at);
  if (memory_.answers.is_trust_open()) sooner(probe_at_);
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
