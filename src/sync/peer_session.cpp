#include "sync/peer_session.h"

#include <algorithm>
#include <vector>

#include "core/check.h"

namespace graspd::sync {

PeerSession::PeerSession(SessionContext& context, RelayMemory& memory, Session session,
                         core::Now now)
    : context_(context),
      memory_(memory),
      peer_(context, memory, session),
      since_(now.instant),
      since_unix_(now.unix_seconds),
      reading_(peer_),
      authentication_(peer_),
      wires_(peer_, authentication_, reading_, now),
      refusals_(peer_, wires_, authentication_),
      history_(peer_, wires_, refusals_, *this, now),
      live_(peer_, wires_, refusals_, reading_, history_, now) {}

void PeerSession::introduce(core::Now now) {
  if (is_private(memory_.information)) authentication_.ask(now);
}

void PeerSession::start_fresh(core::Now now, Source source) {
  history_.books().forget_all(now);
  if (memory_.once.empty()) live_.follow(now, context_.targets.of(memory_.id));
  history_.books().start_fresh(now, source);
}

void PeerSession::start_quick(core::Now now) {
  if (memory_.once.empty()) live_.follow(now, context_.targets.of(memory_.id));
  history_.books().start_quick(now);
}

void PeerSession::target_changed(core::Now now, const Targets::Change& change) {
  const Items& target = context_.targets.of(memory_.id);
  bool is_changed = live_.grow(change.grown);
  if (change.shrank) {
    history_.books().keep_target(now);
    is_changed |= live_.shrink_to(target);
  }
  if (is_changed) live_.replan(now);
  history_.books().plan_work(now, change.shrank ? change.grown & target : change.grown);
}

void PeerSession::end(core::Now now) {
  context_.history.leave(memory_.id);
  memory_.last_alive = alive_at(now);
  memory_.dark_since = live_.dark_since(now);
  history_.interrupted();
}

void PeerSession::retry_now(core::Now now) {
  history_.retry_now(now);
  live_.groups().retry_now(now);
  memory_.policy_until.clear();
  if (!history_.books().release(memory_.parked_values())) return;
  live_.replan(now);
  history_.books().plan_work(now);
}

void PeerSession::heard(core::Now now) { memory_.last_alive = now.unix_seconds; }

// The socket would have closed otherwise.
core::UnixSeconds PeerSession::alive_at(core::Now now) const {
  const core::UnixSeconds open =
      now.unix_seconds - core::whole_seconds(context_.options.silent_max);
  return std::max(open, memory_.last_alive.value_or(open));
}

void PeerSession::tick(core::Now now) {
  memory_.health.settle(context_.options, now);
  if (!reading_.is_paused()) authentication_.tick(now);
  for (const Sub sub : wires_.late(now)) {  // one that ends may end others
    if (wires_.find(sub) != nullptr) time_out(now, sub);
  }
  history_.tick(now);
  if (history_.books().unpark(now)) {
    live_.replan(now);
    history_.books().plan_work(now);
  }
  live_.groups().ask_believed_again(now);
  if (history_.trust().is_reread_due(now)) start_fresh(now, Source::Historic);
  memory_.ids_given_up += memory_.lost.expire(now.instant);
  if (memory_.ids_given_up > 0) history_.trust().plan_recheck(now);
  std::erase_if(memory_.policy_until, [&](const auto& one) { return one.second <= now.instant; });
}

void PeerSession::pump(core::Now now) {
  wires_.begin_turn();
  const bool may_send = !memory_.health.is_paused(now) && !authentication_.is_pending();
  if (may_send && offence_.empty()) {  // R3
    live_.groups().pump(now);
    if (history_.has_space()) {
      const auto gap = live_.groups().take_gap(now);
      if (gap) history_.books().read_gap(now, gap->slices, gap->window);
    }
    history_.continue_reconciliations(now);
    if (const auto turn = live_.take_turn(now)) history_.books().read_turn(now, *turn);
    const bool is_live_first =
        live_.groups().is_waiting(now) && live_.groups().open_count() < peer_.budget.live_slots;
    if (!is_live_first) history_.pump(now);
  }
  wires_.end_turn();
}

std::optional<core::Instant> PeerSession::next_due(core::Now now) {
  const Options& options = context_.options;
  Soonest due(now);
  due.overdue(wires_.next_deadline());
  due.add(wires_.token_at());
  due.add(memory_.health.paused_until());
  due.add(authentication_.due());
  live_.add_due(due);
  history_.add_due(due);
  for (const auto& [request_class, until] : memory_.policy_until) due.add(until);
  if (memory_.health.failures() > 0) due.add(since_ + options.stable_after);
  return due.at();
}

bool PeerSession::is_syncing(core::Now now) const {
  if (reading_.is_held_back(now) || history_.books().is_syncing(now)) return true;
  if (live_.groups().is_settling(now) || live_.is_rotation_late(now)) return true;
  return history_.trust().is_open() && !memory_.is_paused(RequestClass::Ids, now) && !has_gaps();
}

bool PeerSession::has_gaps() const {
  for (const auto& [id, batch] : history_.batches()) {
    if (batch.failed) return true;
  }
  if (live_.groups().is_missing() || !history_.books().rereading().empty()) return true;
  return memory_.lost.size() > 0 || memory_.ids_given_up > 0 || !memory_.parked.empty();
}

bool PeerSession::is_caught_up(core::Now now) const {
  for (const auto& [id, batch] : history_.batches()) {
    if (batch.kind != Batch::Kind::Rotation) return false;
  }
  return !live_.groups().is_settling(now) && memory_.lost.size() == 0 &&
         history_.books().rereading().empty();
}

void PeerSession::check_invariants() const {
  CHECK(wires_.open_count() <= peer_.budget.slots);
  live_.groups().check_invariants();
  for (const auto& [id, batch] : history_.batches()) CHECK(!batch.jobs.empty());
}

void PeerSession::check_books() const {
  history_.books().check();
  live_.check_books();
}

}  // namespace graspd::sync
