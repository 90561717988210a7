// What is confirmed and what was read for it (R8): the two are kept apart, compared, and when they
// do not agree, what is missing is read at once.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {

Ledger PeerSession::debts_of(Batch::Kind kind, const Items& items, Window window) const {
  Ledger ledger;
  const bool grasp = is_grasp_server(memory_.information);
  if (kind == Batch::Kind::Announcements || kind == Batch::Kind::CatchUp) {
    ledger.owe(announcement_slice(grasp), window);
  }
  for (const auto& [filter_class, ids] : values_of(items, grasp)) {
    ledger.owe(filter_class, ids, window);
  }
  for (const auto& [filter_class, id] : parked()) ledger.pay({filter_class, {id}}, {});
  return ledger;
}

// Some transition lost a request on the way. That must not happen; when it does, it is no gap.
void PeerSession::read_rest(core::Now now, std::uint32_t id) {
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
      Job job = make_job(slice, debt.window, now);
      job.not_before = not_before;
      batch.add(std::move(job));
    }
  }
}

bool PeerSession::adds_up() const {
  const bool grasp = is_grasp_server(memory_.information);
  return unread_of(memory_.confirmed, grasp, memory_.read).empty();
}

void PeerSession::mend_books(core::Now now) {
  const bool grasp = is_grasp_server(memory_.information);
  const Items unread = unread_of(memory_.confirmed, grasp, memory_.read);
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
void PeerSession::keep_target(core::Now now) {
  const Items& target = context_.targets.of(memory_.id);
  memory_.confirmed &= target;
  keep_wanted(memory_.read, target);
  for (auto& [id, batch] : batches_) {
    if (batch.kind == Batch::Kind::Items) batch.ledger.keep(target);
  }
  take_from_batches(pending() - target);
  if (batches_.empty()) history_complete(now);
}

void PeerSession::take_from_batches(const Items& items) {
  std::vector<std::uint32_t> pointless;
  for (auto& [id, batch] : batches_) {
    if (batch.kind != Batch::Kind::Items) continue;
    batch.items -= items;
    if (batch.items.empty()) pointless.push_back(id);
  }
  for (const std::uint32_t id : pointless) drop_batch(id);
}

// It counts as read, and as a gap that is shown, until its time is over.
void PeerSession::park(core::Now now, FilterClass filter_class, std::uint32_t id) {
  const core::Instant until = now.instant + kParked;
  memory_.parked[{filter_class, id}] = until;
  memory_.unpark_at = std::min(memory_.unpark_at.value_or(until), until);
  for (auto& [number, batch] : batches_) batch.ledger.pay({filter_class, {id}}, {});
}

// Values that a relay refused are asked for again when their time is over: their history too.
void PeerSession::unpark(core::Now now) {
  if (!memory_.unpark_at || *memory_.unpark_at > now.instant) return;
  Excluded over;
  for (const auto& [value, until] : memory_.parked) {
    if (until <= now.instant) over.insert(value);
  }
  release(now, over);
}

void PeerSession::release(core::Now now, const Excluded& values) {
  if (values.empty()) return;
  Items again;
  for (const auto& value : values) {
    const auto& [filter_class, id] = value;
    memory_.parked.erase(value);
    memory_.read[filter_class].remove(id);
    for (auto& [number, batch] : batches_) batch.ledger.forget(filter_class, id);
    if (request_class(filter_class) == RequestClass::Roots) {
      again.roots.add(id);
    } else {
      again.repos.add(id);
      again.states.add(id);
    }
  }
  memory_.confirmed -= again;
  take_from_batches(again);
  memory_.unpark_at.reset();
  for (const auto& [value, until] : memory_.parked) {
    memory_.unpark_at = std::min(memory_.unpark_at.value_or(until), until);
  }
  plan_live_set(now);
  plan_work(now);
}

std::string PeerSession::rereading() const {
  if (!adds_up()) return "something was taken for read and was not";
  if (memory_.reread_at) return "answers that looked whole were not";
  const bool is_mending = std::any_of(batches_.begin(), batches_.end(),
                                      [](const auto& one) { return one.second.mended > 0; });
  return is_mending ? "something was not asked for" : "";
}

void PeerSession::check_books() const {
  CHECK(adds_up());
  for (const auto& [id, batch] : batches_) {
    CHECK(batch.mended == 0);
    Ledger ledger = batch.ledger;  // whatever is owed, a request is there for it
    for (const auto& [number, job] : batch.jobs) {
      if (job.phase == Job::Phase::Done) continue;
      for (const Slice& slice : job.slices) ledger.pay(slice, job.window);
    }
    CHECK(ledger.is_paid());
    const bool grasp = is_grasp_server(memory_.information);
    if (batch.kind != Batch::Kind::Items) continue;
    ReadValues owed = ledger.read();
    CHECK(unread_of(batch.items, grasp, owed).empty());
  }
  // Whatever is followed comes live, or rotates, or was refused.
  ReadValues live;
  const auto add = [&](const Group& group) {
    for (const Slice& slice : group) live[slice.filter_class].add(slice.ids);
  };
  for (const auto& [id, group] : live_) {
    if (!group.retiring) add(group.slices);
  }
  for (const Group& group : plan_.rotating) add(group);
  for (const auto& [filter_class, id] : parked()) live[filter_class].add(id);
  const Items target = live_items_ & context_.targets.of(memory_.id);
  CHECK(unread_of(target, is_grasp_server(memory_.information), live).empty());
}

}  // namespace graspd::sync
