#include "sync/batches.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::sync {
namespace {

constexpr std::uint32_t kDepthMax = 28;    // from all years to a second
constexpr std::uint32_t kSplitsMax = 256;  // of a batch: who calls every window too large is paged
constexpr std::size_t kLeftMax = 64;       // seconds of a read that are tried again one by one
constexpr core::UnixSeconds kNostrBegins = 1'577'836'800;  // 2020: nearly nothing is older
constexpr core::UnixSeconds kAhead = 900;                  // of our clock: nobody accepts more

void forget_ids(Job& job) { job.ids_asked = job.ids_waiting = job.ids_lost = 0; }

bool waits_for_others(const Batch& batch) { return batch.retry_at == core::Instant::max(); }

}  // namespace

Batch* Batches::find(std::uint32_t id) {
  const auto at = batches_.find(id);
  return at == batches_.end() ? nullptr : &at->second;
}

Job* Batches::find(JobKey key) {
  Batch* batch = find(key.batch);
  if (batch == nullptr) return nullptr;
  const auto job = batch->jobs.find(key.job);
  return job == batch->jobs.end() ? nullptr : &job->second;
}

std::uint32_t Batches::add(Batch batch) {
  const std::uint32_t id = next_++;
  batches_.emplace(id, std::move(batch));
  return id;
}

void Batches::drop(std::uint32_t id) {
  for (const auto& [number, job] : batches_.at(id).jobs) ids_.forget({id, number});
  batches_.erase(id);
}

std::optional<std::uint32_t> Batches::rotation() const {
  for (const auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Rotation) return id;
  }
  return std::nullopt;
}

bool Batches::is_full() const {
  const auto busy = std::count_if(batches_.begin(), batches_.end(), [](const auto& one) {
    return !one.second.failed || waits_for_others(one.second);
  });
  return static_cast<std::size_t>(busy) >= kBusyMax;
}

Items Batches::pending() const {
  Items out;
  for (const auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Items) out |= batch.items;
  }
  return out;
}

Batches::Standing Batches::standing(std::uint32_t id) const {
  Standing out;
  for (const auto& [number, job] : batches_.at(id).jobs) {
    out.stuck += job.phase == Job::Phase::Stuck ? 1 : 0;
    out.busy += job.phase != Job::Phase::Stuck && job.phase != Job::Phase::Done ? 1 : 0;
  }
  return out;
}

void Batches::done(JobKey key) {
  Job& job = *find(key);
  job.phase = Job::Phase::Done;
  job.pages.reset();
  pay_all(job, at(key.batch));
}

void Batches::pay_all(const Job& job, Batch& batch) {
  for (const Slice& slice : job.slices) batch.ledger.pay(slice, job.window);
}

void Batches::stuck(core::Now now, JobKey key, const std::string& why) {
  Job& job = *find(key);
  job.phase = Job::Phase::Stuck;
  job.why = why;
  if (job.pages && !job.pages->failure().empty()) leave_rest(now, job, at(key.batch));  // R4
}

void Batches::leave_rest(core::Now now, Job& job, Batch& batch) {
  const auto left = job.pages->left();
  job.held_back = job.pages->held_back();
  job.held_back_at = now.instant;
  job.pages.reset();
  pay_all(job, batch);
  for (const Window& window : left) batch.ledger.owe(job.slices.front(), window);
  if (left.size() > kLeftMax) {  // not one job each; the order is newest first
    job.window = {left.back().since, left.front().until};
  } else if (!left.empty()) {
    job.window = left.front();
    const Job like = job;
    for (std::size_t i = 1; i < left.size(); ++i) {
      Job other = like;
      other.window = left[i];
      batch.add(std::move(other));
    }
  }
}

void Batches::again(JobKey key, core::Instant not_before) {
  Job* job = find(key);
  if (job == nullptr) return;
  job->phase = Job::Phase::Ready;
  job->not_before = not_before;
}

void Batches::expand(JobKey key, Job::Phase phase, Job::Method method, std::uint64_t brought) {
  Job* job = find(key);
  if (job == nullptr) return;
  Batch& batch = at(key.batch);
  for (std::size_t i = 0; i < job->slices.size(); ++i) {
    Job one{.method = method, .phase = phase, .slices = {job->slices[i]}, .window = job->window};
    one.brought_nothing = i < 63 && (brought >> i & 1) == 0;
    batch.add(std::move(one));
  }
  batch.jobs.erase(key.job);
}

void Batches::halve_values(JobKey key) {
  Job& job = *find(key);
  job.pages.reset();
  Job other = job;
  auto& ids = job.slices.front().ids;
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  other.slices.front().ids.assign(middle, ids.end());
  ids.erase(middle, ids.end());
  at(key.batch).add(std::move(other));
}

bool Batches::split_window(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle) {
  Job* job = find(key);
  if (job == nullptr) return true;
  const core::UnixSeconds high = job->window.until.value_or(now.unix_seconds + kAhead);
  const core::UnixSeconds low = job->window.since.value_or(high > kNostrBegins ? kNostrBegins : 0);
  core::UnixSeconds cut = middle.value_or(low + (high - low) / 2);
  if (cut < low || cut >= high) cut = low + (high - low) / 2;
  Batch& batch = at(key.batch);
  const bool too_deep = job->depth >= kDepthMax || ++batch.splits > kSplitsMax;
  if (too_deep || cut < low || cut >= high) return false;
  ids_.forget(key);  // both halves find out anew what is missing
  Job older = *job;
  older.phase = Job::Phase::Ready;
  forget_ids(older);
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

void Batches::page_instead(JobKey key) {
  Job* job = find(key);
  if (job == nullptr) return;
  ids_.forget(key);
  job->method = Job::Method::Pages;
  job->phase = Job::Phase::Ready;
  forget_ids(*job);
}

void Batches::page_what_waits() {
  for (auto& [id, batch] : batches_) {
    for (auto& [number, job] : batch.jobs) {
      if (job.ids_waiting > 0 && job.phase == Job::Phase::Fetching) page_instead({id, number});
    }
  }
}

void Batches::sweep_instead() {
  for (auto& [id, batch] : batches_) sweep_instead(batch);
}

// Filters of one window become sweeps: few requests instead of one each.
void Batches::sweep_instead(Batch& batch) const {
  std::vector<std::pair<Window, std::vector<Slice>>> waiting;
  for (auto at = batch.jobs.begin(); at != batch.jobs.end();) {
    Job& job = at->second;
    const bool is_waiting = job.method == Job::Method::Reconcile && job.phase == Job::Phase::Ready;
    if (!is_waiting) {
      ++at;
      continue;
    }
    auto same = std::find_if(waiting.begin(), waiting.end(),
                             [&](const auto& one) { return one.first == job.window; });
    if (same == waiting.end()) same = waiting.insert(same, {job.window, {}});
    same->second.push_back(job.slices[0]);
    at = batch.jobs.erase(at);
  }
  const GroupLimits limits{.filters = peer_.budget.filters_per_req,
                           .bytes = peer_.budget.req_bytes};
  for (const auto& [window, slices] : waiting) {
    for (Group& group : pack(peer_.engine.index, slices, limits)) {
      const auto method = group.size() > 1 ? Job::Method::Sweep : Job::Method::Pages;
      batch.add({.method = method, .slices = std::move(group), .window = window});
    }
  }
}

void Batches::failed(std::uint32_t id, core::Instant retry_at) {
  Batch& batch = at(id);
  std::erase_if(batch.jobs, [](const auto& one) { return one.second.phase == Job::Phase::Done; });
  batch.retry_at = retry_at;
  join_failed(id);
}

void Batches::join_failed(std::uint32_t id) {
  Batch& batch = at(id);
  const auto other = std::find_if(batches_.begin(), batches_.end(), [&](const auto& one) {
    return one.first != id && one.second.kind == batch.kind && one.second.failed &&
           one.second.source == batch.source && !waits_for_others(one.second);
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
    ids_.forget({other->first, number});
    forget_ids(job);
    if (batch.kind != Batch::Kind::CatchUp || !widen(batch, job)) batch.add(std::move(job));
  }
  batches_.erase(other);
}

// The same values over a longer time, instead of another job; false when there is none for them.
bool Batches::widen(Batch& batch, const Job& other) {
  const auto at = std::find_if(batch.jobs.begin(), batch.jobs.end(),
                               [&](const auto& one) { return one.second.slices == other.slices; });
  if (at == batch.jobs.end()) return false;
  Job& job = at->second;
  pay_all(job, batch);
  pay_all(other, batch);
  job.window = hull(job.window, other.window);
  job.pages.reset();  // they are of the shorter time
  for (const Slice& slice : job.slices) batch.ledger.owe(slice, job.window);
  return true;
}

void Batches::retry_due(core::Now now) {
  for (auto& [id, batch] : batches_) {
    if (!batch.failed || batch.retry_at > now.instant) continue;
    for (auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Stuck) job.phase = Job::Phase::Ready;
    }
  }
}

void Batches::retry_now(core::Now now) {
  for (auto& [id, batch] : batches_) batch.retry_at = std::min(batch.retry_at, now.instant);
}

std::vector<Batch> Batches::interrupt() {
  std::vector<Batch> out;
  for (auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Rotation) continue;
    for (auto job = batch.jobs.begin(); job != batch.jobs.end();) {
      Job& one = job->second;
      const bool is_done = one.phase == Job::Phase::Done;
      one.phase = Job::Phase::Ready;
      one.not_before = {};
      forget_ids(one);
      job = is_done ? batch.jobs.erase(job) : std::next(job);
    }
    out.push_back(std::move(batch));
  }
  batches_.clear();
  return out;
}

void Batches::pay(const Slice& slice) {
  for (auto& [id, batch] : batches_) batch.ledger.pay(slice, {});
}

void Batches::forget(FilterClass filter_class, std::uint32_t value) {
  for (auto& [id, batch] : batches_) batch.ledger.forget(filter_class, value);
}

void Batches::keep(const Items& target) {
  for (auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Items) batch.ledger.keep(target);
  }
}

std::vector<std::uint32_t> Batches::take(const Items& items) {
  std::vector<std::uint32_t> pointless;
  for (auto& [id, batch] : batches_) {
    if (batch.kind != Batch::Kind::Items) continue;
    batch.items -= items;
    if (batch.items.empty()) pointless.push_back(id);
  }
  return pointless;
}

void Batches::add_due(Soonest& due) const {
  for (const auto& [id, batch] : batches_) {
    if (batch.failed) due.add(batch.retry_at);
    for (const auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Ready) due.add(job.not_before);
    }
  }
}

}  // namespace graspd::sync
