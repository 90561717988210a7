#include <algorithm>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// Bounds on what a peer may do to us before we leave it (sync.md §13).
constexpr std::size_t kOffencesMax = 100;
constexpr std::size_t kEventsPerRequestMax = 20'000;
constexpr std::uint32_t kLiveRepairsMax = 2;
constexpr std::size_t kInventedMin = 1000;  // ids that never come, before all are doubted
// A live copy and a historic one may cross on the way.
constexpr core::UnixSeconds kCrossing = 5;

void count(Hydration& hydration, Verdict verdict) {
  switch (verdict) {
    case Verdict::Stored:
      ++hydration.saved;
      return;
    case Verdict::Known:
      ++hydration.duplicate;
      return;
    case Verdict::Held:
      ++hydration.held;
      return;
    case Verdict::Refused:
      ++hydration.refused;
      return;
    case Verdict::Forged:
      ++hydration.forged;
      return;
    case Verdict::Failed:
    case Verdict::Postponed:
      ++hydration.unjudged;
      return;
  }
}

}  // namespace

void PeerSession::offend(std::string why, std::size_t weight) {
  offences_ += weight;
  if (offences_ >= kOffencesMax && offence_.empty()) offence_ = std::move(why);
}

void PeerSession::on(core::Now now, const EventArrived& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end()) return;  // R1: it was closed; the copy on the way is the intake's
  Wire& wire = at->second;
  Job* job = wire.purpose == Wire::Purpose::Page ? find_job(wire.job) : nullptr;
  if (!wire.heard) wire.progressed = now.instant;
  wire.heard = true;
  if (in.matched == 0) {
    ++memory_.meter.unmatched;
    wire.strayed = memory_.answers.strays = true;
    if (job != nullptr && job->pages) job->pages->strayed(in.created_at);
    return offend("sends what was not asked for", 1);
  }
  ++memory_.meter.arrived;
  wire.matched |= in.matched;
  if (wire.purpose == Wire::Purpose::Sweep) wire.brought.insert(in.id);
  if (wire.purpose == Wire::Purpose::Proof) wire.refuted |= speaks_against(wire, in);
  const auto batch = batches_.find(fetches_.wanted_by(in.id).value_or(wire.job).batch);
  if (batch != batches_.end()) ++batch->second.arrived;
  memory_.last_event = now.unix_seconds;
  if (wire.purpose == Wire::Purpose::Live) live_works(now, wire.group);
  bool is_new = !wire.ended;
  if (job != nullptr && job->pages && !wire.ended) {
    is_new = job->pages->arrived(in.id, in.created_at);
  }
  if (is_new) wire.progressed = now.instant;
  if (++wire.arrived > kEventsPerRequestMax && wire.purpose != Wire::Purpose::Live) {
    return offend("floods", kOffencesMax);
  }
  ++wire.unjudged;
  if (in.verdict) judged(now, in.sub, wire, in.id, in.created_at, *in.verdict);
}

void PeerSession::on(core::Now now, const EventJudged& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end()) {  // its request was refused or timed out in the meantime
    if (in.verdict == Verdict::Stored)
      count_stored(now, {.purpose = Wire::Purpose::Page}, in.id, 0);
    if (in.verdict == Verdict::Failed) unjudged(now, in.id);
    if (in.verdict == Verdict::Postponed) {
      unjudged(now, in.id);
      return release_fetchers(now, in.id);
    }
    if (in.verdict != Verdict::Forged && in.verdict != Verdict::Failed) delivered(now, in.id);
    return;
  }
  judged(now, in.sub, at->second, in.id, in.created_at, in.verdict);
}

void PeerSession::count_stored(core::Now now, const Wire& wire, const nostr::EventId& id,
                               core::UnixSeconds created_at) {
  served_ = true;
  ++memory_.meter.first_seen;
  const auto batch = batches_.find(fetches_.wanted_by(id).value_or(wire.job).batch);
  const bool has_batch = batch != batches_.end();
  if (has_batch) ++batch->second.stored;
  const Source source = wire.purpose == Wire::Purpose::Live ? Source::Live
                        : has_batch                         ? batch->second.source
                                                            : Source::Historic;
  switch (source) {
    case Source::Live:
      ++context_.meter.stored_live;
      context_.log(core::log::Level::Debug, "sync: {} brought {} live", memory_.url.text(),
                   id.hex());
      return;
    case Source::Historic:
      ++context_.meter.stored_historic;
      break;
    case Source::Daily:
      ++context_.meter.stored_daily;
      break;
  }
  const core::UnixSeconds up = std::max(live_since_.value_or(now.unix_seconds),
                                        has_batch ? batch->second.started : since_unix_);
  const bool live_missed_it =
      live_since_ && created_at >= up + kCrossing && created_at + kCrossing <= now.unix_seconds;
  if (source != Source::Daily && !live_missed_it) return;
  ++memory_.meter.gaps;
  ++context_.meter.gaps;
  context_.log(source == Source::Daily ? core::log::Level::Error : core::log::Level::Warn,
               "sync: {} had {}, which live did not bring", memory_.url.text(), id.hex());
}

Hydration* PeerSession::hydration_of(const Wire& wire) {
  if (wire.purpose == Wire::Purpose::Fetch) return &memory_.meter.stream;
  return wire.purpose == Wire::Purpose::Lost ? &memory_.meter.recovery : nullptr;
}

void PeerSession::judged(core::Now now, Sub sub, Wire& wire, const nostr::EventId& id,
                         core::UnixSeconds created_at, Verdict verdict) {
  CHECK(wire.unjudged > 0);
  --wire.unjudged;
  if (Hydration* hydration = hydration_of(wire)) count(*hydration, verdict);
  switch (verdict) {
    case Verdict::Stored:
      count_stored(now, wire, id, created_at);
      break;
    case Verdict::Known:
      ++memory_.meter.duplicates;
      break;
    case Verdict::Held:
      ++memory_.meter.held;
      break;
    case Verdict::Refused:
      ++memory_.meter.rejected;
      break;
    case Verdict::Forged:
      ++memory_.meter.forged;
      offend("sends forged events", 10);
      break;
    case Verdict::Failed:
      wire.our_fault = true;
      if (wire.purpose == Wire::Purpose::Live) unjudged(now, id);
      break;
    case Verdict::Postponed:  // the request is whole, and what we lack is known by its id
      ++memory_.meter.postponed;
      unjudged(now, id);
      wire.ids.erase(id);
      release_fetchers(now, id);
      break;
  }
  const bool is_missing = verdict == Verdict::Failed || verdict == Verdict::Postponed;
  if (verdict != Verdict::Forged && !is_missing) {
    remember_given(id);  // also if we refused it: it has it
    if (wire.ids.erase(id) > 0) {
      ++wire.delivered;
      if (wire.purpose != Wire::Purpose::Probe) ++memory_.meter.ids_delivered;
      if (Hydration* hydration = hydration_of(wire)) ++hydration->delivered;
    }
    delivered(now, id);
  }
  const auto at = wires_.find(sub);
  if (at == wires_.end() || !wire.ended || wire.unjudged > 0) return;
  finish(now, at);
}

// Nobody asks for it again but by its id.
void PeerSession::unjudged(core::Now now, const nostr::EventId& id) {
  memory_.dirty = true;
  if (!memory_.lost.add(id, now.instant + context_.options.lost_retry)) ++memory_.ids_given_up;
}

// However it came: those who waited for this id need not wait any longer.
void PeerSession::delivered(core::Now now, const nostr::EventId& id) {
  if (memory_.lost.remove(id)) {
    ++memory_.meter.ids_recovered;
    memory_.dirty = true;
  }
  release_fetchers(now, id);
}

void PeerSession::release_fetchers(core::Now now, const nostr::EventId& id) {
  for (const JobKey key : fetches_.settle(id)) {
    Job* job = find_job(key);
    if (job == nullptr || job->ids_waiting == 0) continue;
    --job->ids_waiting;
    if (job->phase == Job::Phase::Fetching && job->ids_waiting == 0) job_done(now, key);
  }
}

void PeerSession::on(core::Now now, const EndOfStored& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end() || at->second.ended) return;
  Wire& wire = at->second;
  wire.heard = true;
  wire.progressed = now.instant;
  if (wire.purpose == Wire::Purpose::Reconcile) return;
  if (wire.purpose == Wire::Purpose::Live) return live_works(now, wire.group);
  wire.ended = true;
  wire.completeness = in.completeness;
  close_wire(at->first, wire);
  if (wire.unjudged == 0) finish(now, at);
}

// R2: the request is complete, and all it brought is through the intake.
void PeerSession::finish(core::Now now, Wires::iterator at) {
  const Wire wire = std::move(at->second);
  wires_.erase(at);
  if (wire.our_fault) {
    return fail_wire(now, wire, "our own store failed");
  }
  switch (wire.purpose) {
    case Wire::Purpose::Live:
    case Wire::Purpose::Reconcile:
      return;
    case Wire::Purpose::Fetch:
    case Wire::Purpose::Lost:
      return finish_fetch(now, wire);
    case Wire::Purpose::Probe:
      return finish_probe(now, wire);
    case Wire::Purpose::Sweep:
      gave(now, wire.brought.size() / wire.filters);  // for one of them at least
      if (is_complete_sweep(wire)) return job_done(now, wire.job);
      return expand(now, wire.job, Job::Phase::Ready, wire.matched);
    case Wire::Purpose::Proof:
      return finish_proof(now, wire);
    case Wire::Purpose::Page:
      if (Job* job = find_job(wire.job)) {
        if (job->pages) memory_.recent_answers.saw(job->pages->page_size(), now.instant);
        page_ended(now, wire.job, wire.completeness);
      }
      return;
  }
}

void PeerSession::finish_fetch(core::Now now, const Wire& wire) {
  hydration_of(wire)->not_delivered += wire.ids.size();
  gave(now, wire.delivered);
  if (wire.ids.empty()) return;
  // It may give no more at a time: fewer are asked for, and those that did not come are not blamed.
  if (wire.ended && wire.delivered > 0 && !memory_.gives_many) {
    budget_.ids_per_fetch = (wire.delivered + wire.ids.size() + 1) / 2;
    if (wire.purpose == Wire::Purpose::Lost) return;
    return fetches_.put_back({wire.ids.begin(), wire.ids.end()});
  }
  if (wire.purpose == Wire::Purpose::Lost) return;  // they have their own next time
  (void)now;
  lookups_.emplace_back(wire.ids.begin(), wire.ids.end());
  context_.ask(LookUp{memory_.id, session_, lookups_.back()});
}

void PeerSession::on(core::Now now, const LookedUp& in) {
  if (lookups_.empty()) return;
  std::vector<nostr::EventId> missing = std::move(lookups_.front());
  lookups_.pop_front();
  for (const nostr::EventId& id : in.known) {
    std::erase(missing, id);
    delivered(now, id);
  }
  for (const nostr::EventId& id : fetches_.left_out(missing)) {
    ++memory_.meter.ids_lost;
    memory_.dirty = true;
    if (!memory_.lost.add(id, now.instant + context_.options.lost_retry)) ++memory_.ids_given_up;
    for (const JobKey key : fetches_.settle(id)) id_lost(now, key);
  }
}

void PeerSession::id_lost(core::Now now, JobKey key) {
  Job* job = find_job(key);
  if (job == nullptr || job->ids_waiting == 0) return;
  --job->ids_waiting;
  ++job->ids_lost;
  const std::size_t came = job->ids_asked - job->ids_waiting - job->ids_lost;
  if (job->ids_lost >= kInventedMin && 10 * came <= job->ids_lost) {
    stop_reconciling(key);
    return no_negentropy(now, key, "promises what it does not have");
  }
  if (job->phase != Job::Phase::Fetching || job->ids_waiting > 0) return;
  // The relay knows these ids but does not give them by id.
  if (job->ids_asked >= 20 && 10 * came <= job->ids_asked) {
    page_instead(key);
  } else {
    job_done(now, key);
  }
}

void PeerSession::on(core::Now now, const NegOpened& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end()) return;
  at->second.sent = true;
  at->second.opened = at->second.progressed = now.instant;
}

void PeerSession::on(core::Now now, const NegStepped& in) {
  const auto at = wires_.find(in.sub);
  if (at == wires_.end()) return;
  Wire& wire = at->second;
  const JobKey key = wire.job;
  Job* job = find_job(key);
  CHECK(job != nullptr);
  wire.heard = true;
  wire.progressed = now.instant;
  memory_.dirty |= !memory_.lessons.negentropy_worked;
  memory_.lessons.negentropy_worked = true;
  ++memory_.meter.reconciliation_rounds;
  for (const nostr::EventId& id : in.need) {
    if (!fetches_.want(key, id)) continue;
    ++job->ids_asked;
    ++job->ids_waiting;
  }
  if (!in.finished) {
    wire.more = true;
    return;
  }
  // Announcements that we did not know are of repositories that may not concern the peer.
  const std::uint64_t theirs = names_repositories(job->slices[0]) ? 0 : job->ids_asked;
  memory_.coverage.all += in.ours + theirs;
  memory_.coverage.has += in.ours - std::min(in.ours, in.only_ours) + theirs;
  close_wire(at->first, wire);
  wires_.erase(at);
  job->phase = Job::Phase::Fetching;
  if (job->ids_waiting == 0) job_done(now, key);
}

const char* PeerSession::watchdog_class(const Wire& wire) {
  const Job* job = find_job(wire.job);
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

void PeerSession::time_out(core::Now now, Wires::iterator at) {
  if (at->second.purpose == Wire::Purpose::Live) {
    LiveGroup& group = live_.at(at->second.group);
    if (!group.retiring &&
        ++group.repairs > kLiveRepairsMax) {  // never says EOSE: it may listen all the same
      const std::uint32_t repairs = group.repairs;
      if (!group.dark_since) group.dark_since = dark_from(now, group);
      live_works(now, at->second.group);
      group.repairs = repairs;
      group.unproven = true;
      group.believed_at = now.instant;
      return;
    }
    close_wire(at->first, at->second);
    const std::uint32_t id = at->second.group;
    wires_.erase(at);
    return group.retiring ? lose_retiring(now, id) : reopen(now, group, now.instant);
  }
  ++memory_.meter.timeouts;
  ++context_.meter.watchdog[watchdog_class(at->second)];
  if (!at->second.closed) close_wire(at->first, at->second);
  const Wire wire = std::move(at->second);
  wires_.erase(at);
  if (wire.purpose == Wire::Purpose::Reconcile && !wire.heard) {
    return no_negentropy(now, wire.job, "silence");
  }
  fail_wire(now, wire, wire.heard ? "no progress" : "no answer");
}

}  // namespace graspd::sync
