#include <algorithm>
#include <chrono>
#include <limits>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// Up to here new items are few enough to be swept; more are worth a reconciliation.
constexpr std::size_t kSweepItemsMax = 1000;
// Fewer new items than this will bring little.
constexpr std::size_t kFewItems = 20;
constexpr std::uint32_t kDepthMax = 28;    // from all years to a second
constexpr std::uint32_t kSplitsMax = 256;  // of a batch: who calls every window too large is paged
constexpr std::size_t kLeftMax = 64;       // seconds of a read that are tried again one by one
constexpr core::UnixSeconds kNostrBegins = 1'577'836'800;  // 2020: nearly nothing is older

}  // namespace

bool PeerSession::reconciles(const Window& window, core::Now now) const {
  return context_.options.negentropy && !window.since && !is_paused_class(now, RequestClass::Ids) &&
         may_reconcile(memory_.information, memory_.lessons, now.unix_seconds);
}

Items PeerSession::pending() const {
  Items out;
  for (const auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Items) out |= batch.items;
  }
  return out;
}

std::size_t PeerSession::busy_batches() const {
  return static_cast<std::size_t>(
      std::count_if(batches_.begin(), batches_.end(), [](const auto& one) {
        const Batch& batch = one.second;
        return !batch.failed || batch.retry_at == core::Instant::max();
      }));
}

// Failed batches of a kind become one: a relay that never gives some of it cannot pile them up.
void PeerSession::join_failed(std::uint32_t id) {
  Batch& batch = batches_.at(id);
  const auto other = std::find_if(batches_.begin(), batches_.end(), [&](const auto& one) {
    return one.first != id && one.second.kind == batch.kind && one.second.failed &&
           one.second.source == batch.source && one.second.retry_at != core::Instant::max();
  });
  if (other == batches_.end()) return;
  const bool is_busy =
      std::any_of(other->second.jobs.begin(), other->second.jobs.end(),
                  [](const auto& job) { return job.second.phase != Job::Phase::Stuck; });
  if (is_busy) return;
  batch.items |= other->second.items;
  batch.ledger.merge(other->second.ledger);
  batch.started = std::min(batch.started, other->second.started);
  batch.arrived += other->second.arrived;
  batch.stored += other->second.stored;
  for (auto& [number, job] : other->second.jobs) {
    fetches_.forget({other->first, number});
    job.ids_asked = job.ids_waiting = job.ids_lost = 0;
    if (batch.kind != Batch::Kind::CatchUp || !widen(batch, job)) batch.add(std::move(job));
  }
  batches_.erase(other);
}

// The same values over a longer time, instead of another job; false when there is none for them.
bool PeerSession::widen(Batch& batch, const Job& other) {
  const auto at = std::find_if(batch.jobs.begin(), batch.jobs.end(),
                               [&](const auto& one) { return one.second.slices == other.slices; });
  if (at == batch.jobs.end()) return false;
  Job& job = at->second;
  pay(job, batch);
  pay(other, batch);
  job.window = hull(job.window, other.window);
  job.pages.reset();  // they are of the shorter time
  for (const Slice& slice : job.slices) batch.ledger.owe(slice, job.window);
  return true;
}

void PeerSession::plan_work(core::Now now) { plan_work(now, context_.targets.of(memory_.id)); }

void PeerSession::plan_work(core::Now now, const Items& grown) {
  Items fresh = new_work(grown, pending(), memory_.confirmed);
  more_work_ = false;
  if (fresh.empty()) return;
  last_new_work_ = now.instant;
  more_work_ = busy_batches() >= kBatchesMax;
  if (more_work_) return;
  const bool is_paged = fresh.size() > kFewItems && !reconciles({}, now) && pace_.allows_many();
  const bool few = fresh.size() <= kSweepItemsMax && !is_paged;
  begin(now, make_batch(now, Batch::Kind::Items, Source::Historic, std::move(fresh), {}, few));
}

void PeerSession::begin(core::Now now, Batch batch) {
  const std::uint32_t id = next_batch_++;
  batches_.emplace(id, std::move(batch));
  check_batch(now, id);
}

Batch PeerSession::make_batch(core::Now now, Batch::Kind kind, Source source, Items items,
                              Window window, bool sweep_first) {
  Batch batch{.kind = kind, .source = source, .started = now.unix_seconds};
  batch.ledger = debts_of(kind, items, window);
  const bool grasp = is_grasp_server(memory_.information);
  std::vector<Slice> slices;
  if (kind == Batch::Kind::Announcements || kind == Batch::Kind::CatchUp) {
    slices.push_back(announcement_slice(grasp));
  }
  const auto slice_all = [&](std::size_t values) {
    return slice_items(context_.index, items, grasp, {values, budget_.filter_bytes}, parked());
  };
  auto more = slice_all(context_.options.values_per_filter);
  if (more.size() > context_.options.consolidate_at) {
    more = slice_all(std::numeric_limits<std::size_t>::max());
  }
  std::move(more.begin(), more.end(), std::back_inserter(slices));
  add_jobs(batch, slices, window, sweep_first, now);
  if (kind == Batch::Kind::Items) batch.items = std::move(items);
  if (batch.jobs.empty()) batch.add({.method = Job::Method::Sweep, .phase = Job::Phase::Done});
  return batch;
}

// Few filters that are likely to bring much are read at once, page by page. A relay that takes few
// requests, and filters that will bring little, are swept first.
void PeerSession::add_jobs(Batch& batch, const std::vector<Slice>& slices, Window window,
                           bool sweep_first, core::Now now) {
  const bool is_few = slices.size() <= 1 || (slices.size() <= budget_.transients_max &&
                                             pace_.allows_many() && !window.since);
  if (!sweep_first && (is_few || reconciles(window, now))) {
    for (const Slice& slice : slices) batch.add(make_job(slice, window, now));
    return;
  }
  const GroupLimits limits{.filters = budget_.filters_per_req, .bytes = budget_.req_bytes};
  for (Group& group : pack(context_.index, slices, limits)) {
    batch.add({.method = Job::Method::Sweep, .slices = std::move(group), .window = window});
  }
}

Job PeerSession::make_job(const Slice& slice, Window window, core::Now now) const {
  const auto method = reconciles(window, now) ? Job::Method::Reconcile : Job::Method::Pages;
  return {.method = method, .slices = {slice}, .window = window};
}

Job* PeerSession::find_job(JobKey key) {
  const auto batch = batches_.find(key.batch);
  if (batch == batches_.end()) return nullptr;
  const auto job = batch->second.jobs.find(key.job);
  return job == batch->second.jobs.end() ? nullptr : &job->second;
}

void PeerSession::expand(core::Now now, JobKey key, Job::Phase phase, std::uint64_t brought) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  Batch& batch = batches_.at(key.batch);
  for (std::size_t i = 0; i < job->slices.size(); ++i) {
    Job one = make_job(job->slices[i], job->window, now);
    one.phase = phase;
    one.brought_nothing = i < 63 && (brought >> i & 1) == 0;
    batch.add(std::move(one));
  }
  batch.jobs.erase(key.job);
}

void PeerSession::split_by_time(core::Now now, JobKey key,
                                std::optional<core::UnixSeconds> middle) {
  if (!split_window(now, key, middle)) page_instead(key);
}

bool PeerSession::split_window(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle) {
  Job* job = find_job(key);
  if (job == nullptr) return true;
  const core::UnixSeconds low = job->window.since.value_or(kNostrBegins);
  const core::UnixSeconds high = job->window.until.value_or(now.unix_seconds + 900);
  core::UnixSeconds cut = middle.value_or(low + (high - low) / 2);
  if (cut < low || cut >= high) cut = low + (high - low) / 2;
  Batch& batch = batches_.at(key.batch);
  const bool too_deep = job->depth >= kDepthMax || ++batch.splits > kSplitsMax;
  if (too_deep || cut < low || cut >= high) return false;
  fetches_.forget(key);  // both halves find out anew what is missing
  Job older = *job;
  older.phase = Job::Phase::Ready;
  older.ids_asked = older.ids_waiting = older.ids_lost = 0;
  older.pages.reset();
  older.depth += 1;
  Job newer = older;
  older.window.until = cut;
  newer.window.since = cut + 1;
  batch.jobs.erase(key.job);
  batch.add(std::move(newer));
  batch.add(std::move(older));
  return true;
}

// An answer to it would be: fewer values are asked for, then less time.
void PeerSession::too_large(core::Now now, JobKey key, const std::string& why) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  if (job->slices.size() > 1) return expand(now, key, Job::Phase::Ready);
  if (job->slices.front().ids.size() > 1) {
    job->phase = Job::Phase::Ready;
    return halve(*job, batches_.at(key.batch));
  }
  if (!split_window(now, key, std::nullopt)) job_stuck(now, key, why);
}

// A refused filter is halved until the values that are refused stand alone; those are parked.
void PeerSession::split_values(core::Now now, JobKey key) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  if (job->slices.size() > 1) return expand(now, key, Job::Phase::Ready);
  Slice& slice = job->slices.front();
  std::vector<std::uint32_t> plain;
  for (const std::uint32_t id : slice.ids) {
    const bool is_long = value_bytes(context_.index, slice.filter_class, id) > kLongValue;
    if (is_long) park(now, slice.filter_class, id);
    if (!is_long) plain.push_back(id);
  }
  const bool has_long = plain.size() < slice.ids.size();
  if (!has_long && plain.size() == 1) {
    park(now, slice.filter_class, plain[0]);
    plain.clear();
  }
  if (plain.empty()) return job_done(now, key);
  job->pages.reset();
  job->phase = Job::Phase::Ready;
  if (has_long) {
    slice.ids = std::move(plain);
  } else {
    halve(*job, batches_.at(key.batch));
  }
}

void PeerSession::halve(Job& job, Batch& batch) {
  job.pages.reset();
  Job other = job;
  auto& ids = job.slices.front().ids;
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  other.slices.front().ids.assign(middle, ids.end());
  ids.erase(middle, ids.end());
  batch.add(std::move(other));
}

void PeerSession::page_instead(JobKey key) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  fetches_.forget(key);
  job->method = Job::Method::Pages;
  job->phase = Job::Phase::Ready;
  job->ids_asked = job->ids_waiting = job->ids_lost = 0;
}

void PeerSession::stop_reconciling(JobKey key) {
  const auto at = std::find_if(wires_.begin(), wires_.end(), [&](const auto& one) {
    return one.second.purpose == Wire::Purpose::Reconcile && one.second.job == key;
  });
  if (at != wires_.end()) {
    if (!at->second.closed) close_wire(at->first, at->second);
    wires_.erase(at);
  }
  page_instead(key);
}

void PeerSession::job_done(core::Now now, JobKey key) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  job->phase = Job::Phase::Done;
  job->pages.reset();
  pay(*job, batches_.at(key.batch));
  check_batch(now, key.batch);
}

void PeerSession::pay(const Job& job, Batch& batch) {
  for (const Slice& slice : job.slices) batch.ledger.pay(slice, job.window);
}

void PeerSession::job_stuck(core::Now now, JobKey key, const std::string& why) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  job->phase = Job::Phase::Stuck;
  job->why = why;
  // A read that ended with seconds it could not take starts there again, not at the top.
  if (job->pages && !job->pages->failure().empty()) {
    const auto left = job->pages->left();
    job->held_back = job->pages->held_back();
    job->held_back_at = now.instant;
    job->pages.reset();
    Batch& batch = batches_.at(key.batch);
    pay(*job, batch);
    for (const Window& window : left) batch.ledger.owe(job->slices.front(), window);
    if (left.size() > kLeftMax) {  // not one job each; the order is newest first
      job->window = {left.back().since, left.front().until};
    } else if (!left.empty()) {
      job->window = left.front();
      const Job like = *job;
      for (std::size_t i = 1; i < left.size(); ++i) {
        Job other = like;
        other.window = left[i];
        batch.add(std::move(other));
      }
    }
  }
  check_batch(now, key.batch);
}

void PeerSession::job_again(JobKey key, core::Instant not_before) {
  Job* job = find_job(key);
  if (job == nullptr) return;
  job->phase = Job::Phase::Ready;
  job->not_before = not_before;
}

void PeerSession::check_batch(core::Now now, std::uint32_t id) {
  const auto at = batches_.find(id);
  if (at == batches_.end()) return;
  Batch& batch = at->second;
  std::size_t stuck = 0, busy = 0;
  for (const auto& [number, job] : batch.jobs) {
    stuck += job.phase == Job::Phase::Stuck ? 1 : 0;
    busy += job.phase != Job::Phase::Stuck && job.phase != Job::Phase::Done ? 1 : 0;
  }
  if (stuck > 0) batch.failed = true;
  if (stuck > 0 && busy > 0) batch.retry_at = core::Instant::max();  // when the others are through
  if (busy > 0) return;
  if (stuck == 0) return complete_batch(now, id);
  if (batch.kind == Batch::Kind::Rotation) rotation_stuck(now, batch);
  ++memory_.meter.batches_failed;
  std::erase_if(batch.jobs, [](const auto& one) { return one.second.phase == Job::Phase::Done; });
  batch.retry_at = now.instant + memory_.health.request_failed(context_.options);
  join_failed(id);
  if (more_work_) plan_work(now);
}

void PeerSession::complete_batch(core::Now now, std::uint32_t id) {
  Batch& batch = batches_.at(id);
  if (!batch.ledger.is_paid()) return read_rest(now, id);  // R8
  ++memory_.meter.batches_done;
  memory_.health.request_succeeded();
  switch (batch.kind) {
    case Batch::Kind::Announcements:
      memory_.announcements_synced = true;
      break;
    case Batch::Kind::Items:
      memory_.confirmed |= batch.items & context_.targets.of(memory_.id);
      for (const auto& [filter_class, ids] : batch.ledger.read()) memory_.read[filter_class] |= ids;
      break;
    case Batch::Kind::CatchUp:
      break;
    case Batch::Kind::Rotation:
      rotation_complete(now, batch, batch.ledger.read());
      break;
  }
  batches_.erase(id);
  mend_books(now);
  if (batches_.empty()) history_complete(now);
  if (more_work_) plan_work(now);
}

void PeerSession::history_complete(core::Now now) {
  memory_.historic_completed_at = now.unix_seconds;
  plan_recheck(now);
  const auto [has, all] = memory_.coverage;
  if (has == all || memory_.coverage_logged) return;
  memory_.coverage_logged = true;
  context_.log(core::log::Level::Warn, "sync: {} lacks {} of {} {}", memory_.url.text(), all - has,
               all, all == 1 ? "event that it should have" : "events that it should have");
}

void PeerSession::drop_batch(std::uint32_t id) {
  for (auto at = wires_.begin(); at != wires_.end();) {
    const bool is_of_job = at->second.purpose == Wire::Purpose::Sweep ||
                           at->second.purpose == Wire::Purpose::Page ||
                           at->second.purpose == Wire::Purpose::Proof ||
                           at->second.purpose == Wire::Purpose::Reconcile;
    if (!is_of_job || at->second.job.batch != id) {
      ++at;
      continue;
    }
    if (!at->second.closed) close_wire(at->first, at->second);
    at = wires_.erase(at);
  }
  for (const auto& [number, job] : batches_.at(id).jobs) fetches_.forget({id, number});
  batches_.erase(id);
}

}  // namespace graspd::sync
