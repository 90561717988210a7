#include "sync/books.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

// Up to here new items are few enough to be swept; more are worth a reconciliation.
constexpr std::size_t kSweepItemsMax = 1000;
// Fewer new items than this will bring little.
constexpr std::size_t kFewItems = 20;

}  // namespace

Books::Books(PeerContext& peer, Wires& wires, Batches& batches, AnswerTrust& trust,
             TurnKeeper& turns, core::Now now)
    : context_(peer.engine),
      memory_(peer.memory),
      budget_(peer.budget),
      wires_(wires),
      batches_(batches),
      trust_(trust),
      turns_(turns),
      last_new_work_(now.instant) {}

void Books::forget_all(core::Now now) {
  while (!batches_.empty()) drop(batches_.all().begin()->first);
  memory_.interrupted.clear();
  memory_.fresh_at = now.unix_seconds;
  memory_.confirmed.clear();
  memory_.read.clear();
  memory_.answers.forget_trust();
  memory_.read_as_grasp = is_grasp();
  memory_.announcements_synced = false;
  memory_.recheck_at.reset();
  memory_.reread_at.reset();
  memory_.dark_since.reset();
  memory_.coverage = {};
  memory_.coverage_logged = false;
  memory_.ids_given_up = 0;
}

Batch Books::batch_of_given(core::Now now) const {
  Batch batch{.kind = Batch::Kind::Given, .started = now.unix_seconds};
  for (const auto& [slice, window] : memory_.once) {
    batch.ledger.owe(slice, window);
    batch.add({.method = method_for({}, now), .slices = {slice}, .window = window});
  }
  return batch;
}

void Books::start_fresh(core::Now now, Source source) {
  if (!memory_.once.empty()) return begin(now, batch_of_given(now));
  begin(now, make_batch(now, Batch::Kind::Announcements, source, {}, {}, false));
  if (!target().empty())
    begin(now, make_batch(now, Batch::Kind::Items, source, target(), {}, false));
  last_new_work_ = now.instant;
}

void Books::start_quick(core::Now now) {
  memory_.confirmed &= target();
  keep_wanted(memory_.read, target());
  const core::UnixSeconds heard = memory_.last_alive.value_or(now.unix_seconds);
  const core::UnixSeconds behind_since =
      std::min(heard, std::exchange(memory_.dark_since, std::nullopt).value_or(heard));
  const Window window{.since = behind_since - core::whole_seconds(context_.options.overlap)};
  Items behind = memory_.confirmed;
  std::vector<Batch> interrupted = std::exchange(memory_.interrupted, {});
  bool announcements_behind = !memory_.announcements_synced;
  for (Batch& batch : interrupted) {
    if (batch.kind == Batch::Kind::Items) {
      batch.items &= target();
      batch.ledger.keep(target());
      if (batch.items.empty()) continue;
      behind |= batch.items;
    }
    announcements_behind &= batch.kind != Batch::Kind::Announcements;
    batch.retry_at = now.instant;
    begin(now, std::move(batch));
  }
  if (!memory_.once.empty()) return;
  if (announcements_behind) {
    begin(now, make_batch(now, Batch::Kind::Announcements, Source::Historic, {}, {}, false));
  }
  begin(now, make_batch(now, Batch::Kind::CatchUp, Source::Historic, behind, window, true));
  last_new_work_ = now.instant;
  plan_work(now);
}

void Books::plan_work(core::Now now) { plan_work(now, target()); }

void Books::plan_work(core::Now now, const Items& grown) {
  Items fresh = new_work(more_work_ ? target() : grown, batches_.pending(), memory_.confirmed);
  more_work_ = false;
  if (fresh.empty()) return;
  last_new_work_ = now.instant;
  more_work_ = batches_.is_full();
  if (more_work_) return;
  const bool is_paged = fresh.size() > kFewItems && method_for({}, now) == Job::Method::Pages &&
                        wires_.pace().allows_many();
  const bool few = fresh.size() <= kSweepItemsMax && !is_paged;
  begin(now, make_batch(now, Batch::Kind::Items, Source::Historic, std::move(fresh), {}, few));
}

void Books::begin(core::Now now, Batch batch) { check_batch(now, batches_.add(std::move(batch))); }

Batch Books::make_batch(core::Now now, Batch::Kind kind, Source source, Items items, Window window,
                        bool sweep_first) {
  Batch batch{.kind = kind, .source = source, .started = now.unix_seconds};
  batch.ledger = debts_of(kind, items, window);
  std::vector<Slice> slices;
  if (kind == Batch::Kind::Announcements || kind == Batch::Kind::CatchUp) {
    slices.push_back(announcement_slice(is_grasp()));
  }
  const auto slice_all = [&](std::size_t values) {
    return slice_items(context_.index, items, is_grasp(), {values, budget_.filter_bytes},
                       memory_.parked_values());
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

void Books::add_jobs(Batch& batch, const std::vector<Slice>& slices, Window window,
                     bool sweep_first, core::Now now) {
  const Job::Method method = method_for(window, now);
  const bool is_few = slices.size() <= 1 || (slices.size() <= budget_.transients_max &&
                                             wires_.pace().allows_many() && !window.since);
  if (!sweep_first && (is_few || method == Job::Method::Reconcile)) {
    for (const Slice& slice : slices)
      batch.add({.method = method, .slices = {slice}, .window = window});
    return;
  }
  const GroupLimits limits{.filters = budget_.filters_per_req, .bytes = budget_.req_bytes};
  for (Group& group : pack(context_.index, slices, limits)) {
    batch.add({.method = Job::Method::Sweep, .slices = std::move(group), .window = window});
  }
}

Job::Method Books::method_for(const Window& window, core::Now now) const {
  const bool reconciles = context_.options.negentropy && !window.since &&
                          !memory_.is_paused(RequestClass::Ids, now) &&
                          may_reconcile(memory_.information, memory_.lessons, now.unix_seconds);
  return reconciles ? Job::Method::Reconcile : Job::Method::Pages;
}

Ledger Books::debts_of(Batch::Kind kind, const Items& items, Window window) const {
  Ledger ledger;
  if (kind == Batch::Kind::Announcements || kind == Batch::Kind::CatchUp) {
    ledger.owe(announcement_slice(is_grasp()), window);
  }
  for (const auto& [filter_class, ids] : values_of(items, is_grasp())) {
    ledger.owe(filter_class, ids, window);
  }
  for (const auto& [filter_class, id] : memory_.parked_values())
    ledger.pay({filter_class, {id}}, {});
  return ledger;
}

void Books::read_gap(core::Now now, const Group& slices, Window window) {
  Batch batch{.kind = Batch::Kind::CatchUp, .started = now.unix_seconds};
  for (const Slice& slice : slices) batch.ledger.owe(slice, window);
  add_jobs(batch, slices, window, true, now);
  begin(now, std::move(batch));
}

void Books::read_turn(core::Now now, const RotationTurn& turn) {
  Batch batch{.kind = Batch::Kind::Rotation, .source = Source::Live, .started = now.unix_seconds};
  for (const Group& group : turn.groups) {
    for (const Slice& slice : group) batch.ledger.owe(slice, turn.window);
    batch.add({.method = Job::Method::Sweep, .slices = group, .window = turn.window});
  }
  begin(now, std::move(batch));
}

void Books::job_done(core::Now now, JobKey key) {
  if (batches_.find(key) == nullptr) return;
  batches_.done(key);
  check_batch(now, key.batch);
}

void Books::job_stuck(core::Now now, JobKey key, const std::string& why) {
  if (batches_.find(key) == nullptr) return;
  batches_.stuck(now, key, why);
  check_batch(now, key.batch);
}

void Books::check_batch(core::Now now, std::uint32_t id) {
  Batch* batch = batches_.find(id);
  if (batch == nullptr) return;
  const auto [stuck, busy] = batches_.standing(id);
  if (stuck > 0) batch->failed = true;
  if (stuck > 0 && busy > 0) batch->retry_at = core::Instant::max();  // when the others are through
  if (busy > 0) return;
  if (stuck == 0) return complete(now, id);
  if (batch->kind == Batch::Kind::Rotation) {
    // What the relay does not give is tried again apart: the rest is read in turn meanwhile.
    batch->kind = Batch::Kind::CatchUp;
    turns_.turn_ended(now, batch->started, batch->ledger.owed());
  }
  ++memory_.meter.batches_failed;
  batches_.failed(id, now.instant + memory_.health.request_failed(context_.options));
  if (more_work_) plan_work(now);
}

void Books::complete(core::Now now, std::uint32_t id) {
  Batch& batch = batches_.at(id);
  if (!batch.ledger.is_paid()) return read_rest(now, id);  // R2
  ++memory_.meter.batches_done;
  memory_.health.request_succeeded();
  switch (batch.kind) {
    case Batch::Kind::Announcements:
      memory_.announcements_synced = true;
      break;
    case Batch::Kind::Items:
      memory_.confirmed |= batch.items & target();
      for (const auto& [filter_class, ids] : batch.ledger.read()) memory_.read[filter_class] |= ids;
      break;
    case Batch::Kind::CatchUp:
    case Batch::Kind::Given:
      break;
    case Batch::Kind::Rotation:
      turns_.turn_ended(now, batch.started, batch.ledger.read());
      break;
  }
  batches_.erase(id);
  mend(now);
  if (batches_.empty()) history_complete(now);
  if (more_work_) plan_work(now);
}

void Books::history_complete(core::Now now) {
  memory_.historic_completed_at = now.unix_seconds;
  trust_.plan_recheck(now);
  const auto [has, all] = memory_.coverage;
  if (has == all || memory_.coverage_logged) return;
  memory_.coverage_logged = true;
  context_.log(core::log::Level::Warn, "sync: {} lacks {} of {} {}", memory_.url.text(), all - has,
               all, all == 1 ? "event that it should have" : "events that it should have");
}

// Some transition lost a request on the way. That must not happen; when it does, it is no gap.
void Books::read_rest(core::Now now, std::uint32_t id) {
  Batch& batch = batches_.at(id);
  ++memory_.meter.books_mended;
  context_.log(core::log::Level::Error,
               "sync: {} was not asked for all that was to be read: asking for the rest",
               memory_.url.text());
  const core::Instant not_before =
      batch.mended++ == 0 ? now.instant : now.instant + context_.options.rate_pause;
  const SliceLimits limits{context_.options.values_per_filter, budget_.filter_bytes};
  for (const Ledger::Debt& debt : batch.ledger.debts()) {
    const bool is_l1 = debt.filter_class <= FilterClass::Repositories;
    const auto slices = is_l1
                            ? std::vector<Slice>{{debt.filter_class, {}}}
                            : slice_class(context_.index, debt.filter_class, debt.ids, limits, {});
    for (const Slice& slice : slices) {
      batch.add({.method = method_for(debt.window, now),
                 .slices = {slice},
                 .window = debt.window,
                 .not_before = not_before});
    }
  }
}

bool Books::adds_up() const {
  return unread_of(memory_.confirmed, is_grasp(), memory_.read).empty();
}

void Books::mend(core::Now now) {
  const Items unread = unread_of(memory_.confirmed, is_grasp(), memory_.read);
  if (unread.empty()) return;
  ++memory_.meter.books_mended;
  context_.log(core::log::Level::Error,
               "sync: {} of {} were taken for read and were not: reading them", unread.size(),
               memory_.url.text());
  memory_.confirmed -= unread;
  plan_work(now);
}

// While it is not wanted nothing of it comes live: what was read before does not count any more,
// not even in a batch that is under way.
void Books::keep_target(core::Now now) {
  memory_.confirmed &= target();
  keep_wanted(memory_.read, target());
  batches_.keep(target());
  for (const std::uint32_t id : batches_.take(batches_.pending() - target())) drop(id);
  if (batches_.empty()) history_complete(now);
}

void Books::drop(std::uint32_t batch) {
  wires_.drop_batch(batch);
  batches_.drop(batch);
}

void Books::park(core::Now now, FilterClass filter_class, std::uint32_t id) {
  const core::Instant until = now.instant + kParked;
  memory_.parked[{filter_class, id}] = until;
  memory_.unpark_at = std::min(memory_.unpark_at.value_or(until), until);
  batches_.pay({filter_class, {id}});
}

bool Books::unpark(core::Now now) {
  if (!memory_.unpark_at || *memory_.unpark_at > now.instant) return false;
  Excluded over;
  for (const auto& [value, until] : memory_.parked) {
    if (until <= now.instant) over.insert(value);
  }
  set_unpark_time();  // a value that was refused again has a later time
  return release(over);
}

bool Books::release(const Excluded& values) {
  if (values.empty()) return false;
  Items again;
  for (const auto& value : values) {
    const auto& [filter_class, id] = value;
    memory_.parked.erase(value);
    memory_.read[filter_class].remove(id);
    batches_.forget(filter_class, id);
    if (request_class(filter_class) == RequestClass::Roots) {
      again.roots.add(id);
    } else {
      again.repos.add(id);
      again.states.add(id);
    }
  }
  memory_.confirmed -= again;
  for (const std::uint32_t id : batches_.take(again)) drop(id);
  set_unpark_time();
  return true;
}

void Books::set_unpark_time() {
  memory_.unpark_at.reset();
  for (const auto& [value, until] : memory_.parked) {
    memory_.unpark_at = std::min(memory_.unpark_at.value_or(until), until);
  }
}

std::string Books::rereading() const {
  if (!adds_up()) return "something was taken for read and was not";
  if (memory_.reread_at) return "answers that looked whole were not";
  const auto& batches = batches_.all();
  const bool is_mending = std::any_of(batches.begin(), batches.end(),
                                      [](const auto& one) { return one.second.mended > 0; });
  return is_mending ? "something was not asked for" : "";
}

bool Books::is_syncing(core::Now now) const {
  for (const auto& [id, batch] : batches_.all()) {
    if (!batch.failed && batch.kind != Batch::Kind::Rotation) return true;
  }
  if (!memory_.announcements_synced && batches_.empty()) return true;
  if (!new_work(target(), batches_.pending(), memory_.confirmed).empty()) return true;
  return now.instant - last_new_work_ < context_.options.batch_window;
}

void Books::check() const {
  CHECK(adds_up());
  for (const auto& [id, batch] : batches_.all()) {
    CHECK(batch.mended == 0);
    Ledger ledger = batch.ledger;  // whatever is owed, a request is there for it
    for (const auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Done) continue;
      for (const Slice& slice : job.slices) ledger.pay(slice, job.window);
    }
    CHECK(ledger.is_paid());
    if (batch.kind != Batch::Kind::Items) continue;
    ReadValues owed = ledger.read();
    CHECK(unread_of(batch.items, is_grasp(), owed).empty());
  }
}

}  // namespace graspd::sync
