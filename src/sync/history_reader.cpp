#include "sync/history_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

// A relay that cuts every connection leaves one catch-up behind each time.
constexpr std::size_t kInterruptedMax = 16;

// A small answer may be all that the relay gives at a time, also of one that gave more before.
bool is_complete_sweep(const Wire& wire) {
  if (wire.completeness != nostr::Completeness::Unknown)
    return wire.completeness == nostr::Completeness::Finished;
  return wire.arrived == 0;
}

}  // namespace

HistoryReader::HistoryReader(PeerContext& peer, Wires& wires, Refusals& refusals, TurnKeeper& turns,
                             core::Now now)
    : context_(peer.engine),
      memory_(peer.memory),
      wires_(wires),
      refusals_(refusals),
      batches_(peer),
      trust_(peer, wires, batches_),
      books_(peer, wires, batches_, trust_, turns, now),
      proofs_(peer, wires, batches_),
      requests_(peer, wires, batches_, trust_, proofs_),
      remedies_(peer, batches_, books_),
      ids_(peer, wires, batches_) {}

void HistoryReader::continue_reconciliations(core::Now now) {
  std::vector<JobKey> pointless;
  for (const auto& [sub, wire] : wires_.all()) {
    if (!wire.more || wire.closed) continue;
    const bool is_far_ahead = ids_.is_far_ahead();  // R5
    if (is_far_ahead && memory_.is_paused(RequestClass::Ids, now)) pointless.push_back(wire.job);
    if (is_far_ahead || !wires_.take_token(now)) continue;
    wires_.continue_reconciliation(now, sub);
  }
  for (const JobKey key : pointless) stop_reconciling(key);
}

void HistoryReader::pump(core::Now now) {
  bool is_sent = true;
  do {
    is_sent = ids_.send_wanted(now) || ids_.send_lost(now) || requests_.send_next(now) ||
              trust_.send_probe(now);
  } while (is_sent && !wires_.waits_for_token());
}

bool HistoryReader::arrived(Wire& wire, const EventArrived& in) {
  wire.matched |= in.matched;
  if (wire.purpose == Wire::Purpose::Sweep) wire.brought.insert(in.id);
  if (wire.purpose == Wire::Purpose::Proof) proofs_.arrived(wire, in);
  if (Batch* batch = batch_of(wire, in.id)) ++batch->arrived;
  if (wire.ended) return false;
  Job* job = wire.purpose == Wire::Purpose::Page ? batches_.find(wire.job) : nullptr;
  return job == nullptr || !job->pages || job->pages->arrived(in.id, in.created_at);
}

void HistoryReader::strayed(const Wire& wire, core::UnixSeconds created_at) {
  Job* job = wire.purpose == Wire::Purpose::Page ? batches_.find(wire.job) : nullptr;
  if (job != nullptr && job->pages) job->pages->strayed(created_at);
}

Batch* HistoryReader::batch_of(const Wire& wire, const nostr::EventId& id) {
  return batches_.find(batches_.ids().wanted_by(id).value_or(wire.job).batch);
}

void HistoryReader::delivered(core::Now now, const nostr::EventId& id) {
  ids_.recovered(id);
  settled(now, id);
}

void HistoryReader::settled(core::Now now, const nostr::EventId& id) {
  for (const JobKey key : ids_.settle(id)) books_.job_done(now, key);
}

void HistoryReader::stepped(core::Now now, Sub sub, const NegStepped& in) {
  Wire& wire = *wires_.find(sub);
  const JobKey key = wire.job;
  Job* job = batches_.find(key);
  CHECK(job != nullptr);
  wire.heard = true;
  wire.progressed = now.instant;
  memory_.dirty |= !memory_.lessons.negentropy_worked;
  memory_.lessons.negentropy_worked = true;
  ++memory_.meter.reconciliation_rounds;
  for (const nostr::EventId& id : in.need) ids_.want(key, id);
  if (!in.finished) {
    wire.more = true;
    return;
  }
  // Announcements that we did not know are of repositories that may not concern the peer.
  const std::uint64_t theirs = names_repositories(job->slices[0]) ? 0 : job->ids_asked;
  memory_.coverage.all += in.ours + theirs;
  memory_.coverage.has += in.ours - std::min(in.ours, in.only_ours) + theirs;
  wires_.drop(sub);
  job->phase = Job::Phase::Fetching;
  if (job->ids_waiting == 0) books_.job_done(now, key);
}

void HistoryReader::looked_up(core::Now now, const LookedUp& in) {
  const auto missing = ids_.looked_up(in);
  if (!missing) return;
  for (const nostr::EventId& id : in.known) delivered(now, id);
  for (const nostr::EventId& id : ids_.lost_of(*missing)) {
    for (const JobKey key : ids_.lose(now, id)) one_lost(now, key);
  }
}

void HistoryReader::one_lost(core::Now now, JobKey key) {
  switch (ids_.lost_one(key)) {
    case IdReader::AfterLoss::WaitOn:
      return;
    case IdReader::AfterLoss::Done:
      return books_.job_done(now, key);
    case IdReader::AfterLoss::Pages:
      return batches_.page_instead(key);
    case IdReader::AfterLoss::NoNegentropy:
      stop_reconciling(key);
      return no_negentropy(now, key, "promises what it does not have");
  }
}

void HistoryReader::stop_reconciling(JobKey key) {
  wires_.drop_reconciliation(key);
  batches_.page_instead(key);
}

void HistoryReader::no_negentropy(core::Now now, JobKey key, const std::string& text) {
  batches_.page_instead(key);
  if (refusals_.no_negentropy(now, text)) batches_.sweep_instead();
}

// Judged by phase: before the first NEG-MSG a NOTICE is the answer to our NEG-OPEN.
void HistoryReader::noticed(core::Now now, const std::string& text) {
  if (memory_.lessons.negentropy_worked) return;
  for (const Sub sub : wires_.unheard()) {
    const Wire& wire = *wires_.find(sub);
    if (!wire.is_reconciliation()) continue;
    const JobKey key = wire.job;
    wires_.drop(sub);
    no_negentropy(now, key, text);
  }
}

void HistoryReader::ended(core::Now now, const Wire& wire) {
  if (wire.our_fault) return failed(now, wire, "our own store failed");
  switch (wire.purpose) {
    case Wire::Purpose::Live:
    case Wire::Purpose::Reconcile:
      return;
    case Wire::Purpose::Fetch:
    case Wire::Purpose::Lost:
      trust_.gave(now, wire.delivered);
      return ids_.ended(wire);
    case Wire::Purpose::Probe:
      return trust_.probe_ended(now, wire);
    case Wire::Purpose::Sweep:
      trust_.gave(now, wire.brought.size() / wire.filters);  // for one of them at least
      if (is_complete_sweep(wire)) return books_.job_done(now, wire.job);
      return remedies_.expand(now, wire.job, Job::Phase::Ready, wire.matched);
    case Wire::Purpose::Proof:
      return proof_ended(now, wire);
    case Wire::Purpose::Page:
      if (const Job* job = batches_.find(wire.job)) {
        if (job->pages) trust_.page_came(now, job->pages->page_size());
        page_ended(now, wire.job, wire.completeness);
      }
      return;
  }
}

void HistoryReader::page_ended(core::Now now, JobKey key, nostr::Completeness completeness) {
  batches_.find(key)->pages->ended(completeness, memory_.answers, now.instant);
  trust_.check(now);
  take_page(now, key);
}

void HistoryReader::take_page(core::Now now, JobKey key) {
  Job& job = *batches_.find(key);
  const std::string failure = job.pages->failure();
  if (!failure.empty()) return books_.job_stuck(now, key, failure);
  if (job.pages->is_done()) return books_.job_done(now, key);
  job.phase = Job::Phase::Ready;
}

void HistoryReader::proof_ended(core::Now now, const Wire& wire) {
  if (!proofs_.is_proved(wire)) return proofs_.read_alone(wire);
  if (wire.arrived > 0) memory_.answers.trust(wire.arrived, now.instant);
  for (const JobKey key : wire.sharing) {
    Job* job = batches_.find(key);
    if (job == nullptr) continue;
    if (wire.end == PageRead::End::EmptyPage) {
      page_ended(now, key, wire.completeness);
    } else {
      job->pages->end_proved();
      take_page(now, key);
    }
  }
  trust_.check(now);
}

// What came of it before is read, unless we failed to take it.
void HistoryReader::break_page(const Wire& wire) {
  Job* job = batches_.find(wire.job);
  if (job == nullptr || !job->pages) return;
  wire.our_fault ? job->pages->discarded() : job->pages->broken();
}

void HistoryReader::again(const Wire& wire, core::Instant not_before) {
  switch (wire.purpose) {
    case Wire::Purpose::Live:
    case Wire::Purpose::Lost:
    case Wire::Purpose::Probe:
      return;  // it has its own next time
    case Wire::Purpose::Fetch:
      return batches_.ids().put_back({wire.ids.begin(), wire.ids.end()});
    case Wire::Purpose::Page:
      break_page(wire);
      return batches_.again(wire.job, not_before);
    case Wire::Purpose::Proof:
      for (const JobKey key : wire.sharing) batches_.again(key, not_before);
      return;
    case Wire::Purpose::Sweep:
    case Wire::Purpose::Reconcile:
      return batches_.again(wire.job, not_before);
  }
}

void HistoryReader::failed(core::Now now, const Wire& wire, const std::string& why) {
  switch (wire.purpose) {
    case Wire::Purpose::Live:
    case Wire::Purpose::Lost:
    case Wire::Purpose::Probe:
      return;
    case Wire::Purpose::Fetch:
      trust_.gave(now, wire.delivered);
      return ids_.ended(wire);
    case Wire::Purpose::Sweep:
      remedies_.expand(now, wire.job, Job::Phase::Stuck);
      return books_.check_batch(now, wire.job.batch);
    case Wire::Purpose::Proof:
      proofs_.read_alone(wire);
      for (const JobKey key : wire.sharing) books_.job_stuck(now, key, why);
      return;
    case Wire::Purpose::Page:
      break_page(wire);
      return books_.job_stuck(now, wire.job, why);
    case Wire::Purpose::Reconcile:
      return books_.job_stuck(now, wire.job, why);
  }
}

const char* HistoryReader::watchdog_class(const Wire& wire) {
  const Job* job = batches_.find(wire.job);
  switch (wire.purpose) {
    case Wire::Purpose::Fetch:
      return "negentropy_hydration";
    case Wire::Purpose::Lost:
    case Wire::Purpose::Probe:
      return "negentropy_retry";
    case Wire::Purpose::Reconcile:
      return "negentropy";
    case Wire::Purpose::Page:
      return job != nullptr && job->pages && job->pages->pages() > 1 ? "pagination_page"
                                                                     : "historic_page";
    case Wire::Purpose::Proof:
      return "pagination_page";
    case Wire::Purpose::Live:
    case Wire::Purpose::Sweep:
      return "historic_page";
  }
  CHECK(false);
  return "";
}

void HistoryReader::timed_out(core::Now now, Sub sub) {
  ++memory_.meter.timeouts;
  ++context_.meter.watchdog[watchdog_class(*wires_.find(sub))];
  if (!wires_.find(sub)->closed) wires_.close(sub);
  const Wire wire = wires_.take(sub);
  if (wire.is_reconciliation() && !wire.heard) return no_negentropy(now, wire.job, "silence");
  failed(now, wire, wire.heard ? "no progress" : "no answer");
}

void HistoryReader::refused(core::Now now, const Wire& wire, const Remedy& remedy,
                            const std::string& text) {
  switch (remedy.request) {
    case Remedy::Request::Again:
      return again(wire, remedy.not_before);
    case Remedy::Request::Later:
    case Remedy::Request::Fail:
      return failed(now, wire, text);
    case Remedy::Request::ReadAlone:
      return proofs_.read_alone(wire);
    case Remedy::Request::OneByOne:
      return remedies_.expand(now, wire.job, Job::Phase::Ready);
    case Remedy::Request::FewerValues:
      return remedies_.fewer_values(now, wire.job, text);
    case Remedy::Request::LessAtOnce:
      return remedies_.less_at_once(now, wire.job, text);
    case Remedy::Request::SmallerPages:
      if (!remedies_.smaller_pages(wire.job)) return failed(now, wire, text);
      return again(wire, remedy.not_before);
    case Remedy::Request::SplitByTime:
      return remedies_.less_time(now, wire.job, std::nullopt);
    case Remedy::Request::Pages:
      return no_negentropy(now, wire.job, text);
    case Remedy::Request::Unwelcome:  // what is not given by id may be given by filter
      if (wire.is_by_id()) batches_.page_what_waits();
      return failed(now, wire, text);
  }
}

void HistoryReader::reconciliation_refused(core::Now now, const Wire& wire, const NegFailed& in) {
  const Remedy remedy = refusals_.learn(now, wire, in);
  if (remedy.request == Remedy::Request::SplitByTime)
    return remedies_.less_time(now, wire.job, in.middle);
  const bool is_unread = in.problem == NegProblem::OursUnread;
  refused(now, wire, remedy, is_unread ? "our inventory could not be read" : in.text);
}

RequestClass HistoryReader::class_of(const Wire& wire) {
  if (wire.is_by_id()) return RequestClass::Ids;
  const Job* job = batches_.find(wire.job);
  CHECK(job != nullptr);
  return request_class(job->slices.front().filter_class);
}

void HistoryReader::interrupted() {
  for (const auto& [sub, wire] : wires_.all()) {
    if (wire.purpose == Wire::Purpose::Page) break_page(wire);
  }
  auto left = batches_.interrupt();
  std::move(left.begin(), left.end(), std::back_inserter(memory_.interrupted));
  if (memory_.interrupted.size() <= kInterruptedMax) return;
  memory_.interrupted.clear();  // a fresh start is cheaper
  memory_.disconnected_at.reset();
}

void HistoryReader::add_due(Soonest& due) const {
  trust_.add_due(due);
  batches_.add_due(due);
  due.add(memory_.unpark_at);
  due.add(memory_.lost.next_due());
}

void HistoryReader::drop_turn() {
  if (const auto id = batches_.rotation()) books_.drop(*id);
}

void HistoryReader::park(core::Now now, FilterClass filter_class, std::uint32_t id) {
  books_.park(now, filter_class, id);
}

}  // namespace graspd::sync
