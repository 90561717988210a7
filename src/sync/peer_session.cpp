#include "sync/peer_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

// A relay that cuts every connection leaves one catch-up behind each time.
constexpr std::size_t kInterruptedMax = 16;

}  // namespace

PeerSession::PeerSession(SessionContext& context, RelayMemory& memory, Session session,
                         core::Now now)
    : context_(context),
      memory_(memory),
      session_(session),
      budget_(make_budget(memory.information, memory.lessons)),
      pace_(now.instant),
      since_(now.instant),
      since_unix_(now.unix_seconds),
      last_frame_(now.instant),
      last_ping_(now.instant),
      rotated_since_(now.unix_seconds - core::whole_seconds(context.options.overlap)),
      rotate_at_(now.instant),
      last_new_work_(now.instant) {
  const auto& information = memory.information;
  if (information && !context.options.own_software.empty() &&
      information->software.find(context.options.own_software) != std::string::npos) {
    pace_ = Pace::unlimited(now.instant);
  }
}

void PeerSession::start_fresh(core::Now now, Source source) {
  while (!batches_.empty()) drop_batch(batches_.begin()->first);
  memory_.interrupted.clear();
  memory_.fresh_at = now.unix_seconds;
  memory_.confirmed.clear();
  memory_.read.clear();
  memory_.answers.trusted = 0;
  memory_.read_as_grasp = is_grasp_server(memory_.information);
  memory_.announcements_synced = false;
  memory_.recheck_at.reset();
  memory_.reread_at.reset();
  memory_.dark_since.reset();
  memory_.coverage = {};
  memory_.coverage_logged = false;
  memory_.ids_given_up = 0;
  live_items_ = context_.targets.of(memory_.id);
  plan_live_set(now);
  begin(now, make_batch(now, Batch::Kind::Announcements, source, {}, {}, false));
  const Items& target = context_.targets.of(memory_.id);
  if (!target.empty()) begin(now, make_batch(now, Batch::Kind::Items, source, target, {}, false));
  last_new_work_ = now.instant;
}

void PeerSession::start_quick(core::Now now) {
  const Items& target = context_.targets.of(memory_.id);
  live_items_ = target;
  plan_live_set(now);
  memory_.confirmed &= target;
  keep_wanted(memory_.read, target);
  const core::UnixSeconds heard = memory_.last_alive.value_or(now.unix_seconds);
  const core::UnixSeconds behind_since =
      std::min(heard, std::exchange(memory_.dark_since, std::nullopt).value_or(heard));
  Window window{.since = behind_since - core::whole_seconds(context_.options.overlap)};
  Items behind = memory_.confirmed;
  std::vector<Batch> interrupted = std::exchange(memory_.interrupted, {});
  bool announcements_behind = !memory_.announcements_synced;
  for (Batch& batch : interrupted) {
    if (batch.kind == Batch::Kind::Items) {
      batch.items &= target;
      batch.ledger.keep(target);
      if (batch.items.empty()) continue;
      behind |= batch.items;
    }
    announcements_behind &= batch.kind != Batch::Kind::Announcements;
    batch.retry_at = now.instant;
    begin(now, std::move(batch));
  }
  if (announcements_behind) {
    begin(now, make_batch(now, Batch::Kind::Announcements, Source::Historic, {}, {}, false));
  }
  begin(now, make_batch(now, Batch::Kind::CatchUp, Source::Historic, behind, window, true));
  last_new_work_ = now.instant;
  plan_work(now);
}

void PeerSession::target_changed(core::Now now, const Targets::Change& change) {
  const Items& target = context_.targets.of(memory_.id);
  bool is_changed = !(change.grown - live_items_).empty();
  live_items_ |= change.grown;
  if (change.shrank) {
    keep_target(now);
    // What left the target closes at the next consolidation: when it makes up a quarter.
    const bool many = 4 * (live_items_ - target).size() > live_items_.size();
    is_changed |= many;
    if (many) live_items_ = target;
  }
  if (is_changed) plan_live_set(now);
  if (more_work_) return plan_work(now);
  plan_work(now, change.shrank ? change.grown & target : change.grown);
}

// Since when live, or what rotates in its place, did not bring all.
std::optional<core::UnixSeconds> PeerSession::dark_since(core::Now now) const {
  std::optional<core::UnixSeconds> since;
  if (is_held_back(now)) since = behind_since_;
  const auto add = [&](core::UnixSeconds at) { since = std::min(since.value_or(at), at); };
  for (const auto& [id, group] : live_) {
    if (group.dark_since) add(*group.dark_since);
    if (group.state == LiveGroup::State::Opening) add(group.opened);
  }
  if (!plan_.rotating.empty()) add(rotated_since_ + core::whole_seconds(context_.options.overlap));
  return since;
}

void PeerSession::end(core::Now now) {
  context_.history.leave(memory_.id);
  memory_.dark_since = dark_since(now);
  for (const auto& [sub, wire] : wires_) {
    if (wire.purpose == Wire::Purpose::Page) break_page(wire);
  }
  for (auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Rotation) continue;
    for (auto job = batch.jobs.begin(); job != batch.jobs.end();) {
      Job& one = job->second;
      const bool is_done = one.phase == Job::Phase::Done;
      one.phase = Job::Phase::Ready;
      one.not_before = {};
      one.ids_asked = one.ids_waiting = one.ids_lost = 0;
      job = is_done ? batch.jobs.erase(job) : std::next(job);
    }
    memory_.interrupted.push_back(std::move(batch));
  }
  batches_.clear();
  if (memory_.interrupted.size() > kInterruptedMax) {  // a fresh start is cheaper
    memory_.interrupted.clear();
    memory_.disconnected_at.reset();
  }
}

void PeerSession::close_all() {
  for (auto& [sub, wire] : wires_) {
    if (!wire.closed) close_wire(sub, wire);
  }
}

void PeerSession::retry_now(core::Now now) {
  for (auto& [id, batch] : batches_) batch.retry_at = std::min(batch.retry_at, now.instant);
  for (auto& [id, group] : live_) group.not_before = std::min(group.not_before, now.instant);
  memory_.policy_until.clear();
  release(now, parked());
}

void PeerSession::heard(core::Now now) {
  last_frame_ = now.instant;
  memory_.last_alive = now.unix_seconds;
}

void PeerSession::tick(core::Now now) {
  memory_.health.settle(context_.options, now);
  if (now.instant - last_frame_ >= context_.options.silent_max) {
    offence_ = "silent for too long";
    return;
  }
  if (now.instant - std::max(last_ping_, last_frame_) >= context_.options.ping_every) {
    last_ping_ = now.instant;
    context_.ask(Ping{memory_.id, session_});
  }
  if (auth_ == Auth::Asked && !paused_at_ &&
      now.instant - auth_asked_at_ >= context_.options.progress_max) {
    auth_ = Auth::Refused;  // no challenge came, or no answer
  }
  std::vector<Sub> late;
  for (const auto& [sub, wire] : wires_) {
    const auto due = deadline(wire);
    if (due && *due <= now.instant) late.push_back(sub);
  }
  for (const Sub sub : late) {  // one that ends may end others
    const auto at = wires_.find(sub);
    if (at != wires_.end()) time_out(now, at);
  }
  for (auto& [id, batch] : batches_) {
    if (!batch.failed || batch.retry_at > now.instant) continue;
    for (auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Stuck) job.phase = Job::Phase::Ready;
    }
  }
  unpark(now);
  doubt_believed(now);
  reread_if_due(now);
  memory_.ids_given_up += memory_.lost.expire(now.instant);
  if (memory_.ids_given_up > 0) plan_recheck(now);
  std::erase_if(memory_.policy_until, [&](const auto& one) { return one.second <= now.instant; });
}

bool PeerSession::is_syncing(core::Now now) const {
  if (is_held_back(now)) return true;
  for (const auto& [id, batch] : batches_) {
    if (!batch.failed && batch.kind != Batch::Kind::Rotation) return true;
  }
  const Items& target = context_.targets.of(memory_.id);
  if (!memory_.announcements_synced && batches_.empty()) return true;
  if (doubts_trust() && !is_paused_class(now, RequestClass::Ids) && !has_gaps()) return true;
  if (live_is_settling(now) || rotation_is_late(now)) return true;
  if (!new_work(target, pending(), memory_.confirmed).empty()) return true;
  return now.instant - last_new_work_ < context_.options.batch_window;
}

bool PeerSession::has_gaps() const {
  for (const auto& [id, batch] : batches_) {
    if (batch.failed) return true;
  }
  const bool is_dark = std::any_of(live_.begin(), live_.end(), [](const auto& one) {
    return !one.second.retiring && one.second.state == LiveGroup::State::Wanted;
  });
  if (is_dark || !rereading().empty()) return true;
  return memory_.lost.size() > 0 || memory_.ids_given_up > 0 || !memory_.parked.empty();
}

bool PeerSession::is_caught_up(core::Now now) const {
  for (const auto& [id, batch] : batches_) {
    if (batch.kind != Batch::Kind::Rotation) return false;
  }
  return !live_is_settling(now) && memory_.lost.size() == 0 && rereading().empty();
}

std::size_t PeerSession::live_repairs(core::Now now) const {
  return static_cast<std::size_t>(std::count_if(live_.begin(), live_.end(), [&](const auto& one) {
    return one.second.state == LiveGroup::State::Wanted && one.second.not_before > now.instant;
  }));
}

std::size_t PeerSession::open_wires() const {
  return static_cast<std::size_t>(std::count_if(
      wires_.begin(), wires_.end(), [](const auto& wire) { return !wire.second.closed; }));
}

void PeerSession::check_invariants() const {
  CHECK(open_wires() <= budget_.slots);  // R3
  for (const auto& [id, group] : live_) {
    CHECK((group.state == LiveGroup::State::Wanted) == !group.sub);
    if (group.sub) CHECK(wires_.contains(*group.sub) && !wires_.at(*group.sub).closed);
    CHECK(group.sub || !group.retiring);
  }
  for (const auto& [id, batch] : batches_) {
    CHECK(!batch.jobs.empty());
  }
}

}  // namespace graspd::sync
