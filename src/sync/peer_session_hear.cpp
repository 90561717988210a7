// What a relay says, and what the intake makes of it.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using nostr::Outcome;

// Bounds on what a peer may do to us before we leave it (sync.md §13).
constexpr std::size_t kOffencesMax = 100;
constexpr std::size_t kEventsPerRequestMax = 20'000;
// A live copy and a historic one may cross on the way.
constexpr core::UnixSeconds kCrossing = 5;

void count(Hydration& hydration, Outcome outcome) {
  switch (outcome) {
    case Outcome::Stored:
      ++hydration.saved;
      return;
    case Outcome::Known:
      ++hydration.duplicate;
      return;
    case Outcome::Held:
      ++hydration.held;
      return;
    case Outcome::Refused:
      ++hydration.refused;
      return;
    case Outcome::Forged:
      ++hydration.forged;
      return;
    case Outcome::Failed:
    case Outcome::Postponed:
      ++hydration.unjudged;
      return;
  }
}

Hydration* hydration_of(const Wire& wire, RelayMeter& meter) {  // of a request by id
  if (wire.purpose == Wire::Purpose::Fetch) return &meter.stream;
  return wire.purpose == Wire::Purpose::Lost ? &meter.recovery : nullptr;
}

// What did not get here is asked for again by its id.
bool is_missing(Outcome outcome) {
  return outcome == Outcome::Failed || outcome == Outcome::Postponed;
}

}  // namespace

void PeerSession::offend(std::string why, std::size_t weight) {
  offences_ += weight;
  if (offences_ >= kOffencesMax && offence_.empty()) offence_ = std::move(why);
}

void PeerSession::on(core::Now now, const EventArrived& in) {
  Wire* wire = wires_.find(in.sub);
  if (wire == nullptr) return;  // R1: it was closed; the copy on the way is the intake's
  if (!wire->heard) wire->progressed = now.instant;
  wire->heard = true;
  if (in.matched == 0) {
    ++memory_.meter.unmatched;
    wire->strayed = memory_.answers.strays = true;
    history_.strayed(*wire, in.created_at);
    return offend("sends what was not asked for", 1);
  }
  ++memory_.meter.arrived;
  memory_.last_event = now.unix_seconds;
  if (history_.arrived(*wire, in)) wire->progressed = now.instant;
  if (wire->is_live()) live_.groups().works(now, wire->group);
  if (++wire->arrived > kEventsPerRequestMax && !wire->is_live()) {
    return offend("floods", kOffencesMax);
  }
  ++wire->unjudged;
  if (in.outcome) judged(now, in.sub, in.id, in.created_at, *in.outcome);
}

void PeerSession::on(core::Now now, const EventJudged& in) {
  if (wires_.find(in.sub) != nullptr) return judged(now, in.sub, in.id, in.created_at, in.outcome);
  // Its request was refused or timed out in the meantime (R1).
  if (in.outcome == Outcome::Stored) count_stored(now, {.purpose = Wire::Purpose::Page}, in.id, 0);
  if (is_missing(in.outcome)) memory_.lose(in.id, now.instant + context_.options.lost_retry);
  if (in.outcome == Outcome::Postponed) return history_.settled(now, in.id);
  if (in.outcome != Outcome::Forged && in.outcome != Outcome::Failed)
    history_.delivered(now, in.id);
}

void PeerSession::count_stored(core::Now now, const Wire& wire, const nostr::EventId& id,
                               core::UnixSeconds created_at) {
  served_ = true;
  ++memory_.meter.first_seen;
  Batch* batch = history_.batch_of(wire, id);
  if (batch != nullptr) ++batch->stored;
  const Source source = wire.is_live()     ? Source::Live
                        : batch != nullptr ? batch->source
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
  const auto live_since = live_.groups().since();
  const core::UnixSeconds up = std::max(live_since.value_or(now.unix_seconds),
                                        batch != nullptr ? batch->started : since_unix_);
  const bool live_missed_it =
      live_since && created_at >= up + kCrossing && created_at + kCrossing <= now.unix_seconds;
  if (source != Source::Daily && !live_missed_it) return;
  ++memory_.meter.gaps;
  ++context_.meter.gaps;
  context_.log(source == Source::Daily ? core::log::Level::Error : core::log::Level::Warn,
               "sync: {} had {}, which live did not bring", memory_.url.text(), id.hex());
}

void PeerSession::judged(core::Now now, Sub sub, const nostr::EventId& id,
                         core::UnixSeconds created_at, Outcome outcome) {
  Wire& wire = *wires_.find(sub);
  CHECK(wire.unjudged > 0);
  --wire.unjudged;
  Hydration* hydration = hydration_of(wire, memory_.meter);
  if (hydration != nullptr) count(*hydration, outcome);
  switch (outcome) {
    case Outcome::Stored:
      count_stored(now, wire, id, created_at);
      break;
    case Outcome::Known:
      ++memory_.meter.duplicates;
      break;
    case Outcome::Held:
      ++memory_.meter.held;
      break;
    case Outcome::Refused:
      ++memory_.meter.rejected;
      break;
    case Outcome::Forged:
      ++memory_.meter.forged;
      offend("sends forged events", 10);
      break;
    case Outcome::Failed:
      wire.our_fault = true;
      if (wire.is_live()) memory_.lose(id, now.instant + context_.options.lost_retry);
      break;
    case Outcome::Postponed:  // the request is whole, and what we lack is known by its id
      ++memory_.meter.postponed;
      memory_.lose(id, now.instant + context_.options.lost_retry);
      wire.ids.erase(id);
      history_.settled(now, id);
      break;
  }
  if (outcome != Outcome::Forged && !is_missing(outcome)) {
    history_.trust().remember_given(id);  // also if we refused it: it has it
    if (wire.ids.erase(id) > 0) {
      ++wire.delivered;
      if (wire.purpose != Wire::Purpose::Probe) ++memory_.meter.ids_delivered;
      if (hydration != nullptr) ++hydration->delivered;
    }
    history_.delivered(now, id);
  }
  const Wire* still = wires_.find(sub);
  if (still == nullptr || !still->ended || still->unjudged > 0) return;
  history_.ended(now, wires_.take(sub));
}

void PeerSession::on(core::Now now, const EndOfStored& in) {
  Wire* wire = wires_.find(in.sub);
  if (wire == nullptr || wire->ended) return;
  wire->heard = true;
  wire->progressed = now.instant;
  if (wire->is_reconciliation()) return;
  if (wire->is_live()) return live_.groups().works(now, wire->group);
  wire->ended = true;
  wire->completeness = in.completeness;
  wires_.close(in.sub);
  if (wire->unjudged == 0) history_.ended(now, wires_.take(in.sub));  // R2
}

void PeerSession::on(core::Now now, const NegOpened& in) {
  Wire* wire = wires_.find(in.sub);
  if (wire == nullptr) return;
  wire->sent = true;
  wire->opened = wire->progressed = now.instant;
}

void PeerSession::on(core::Now now, const NegStepped& in) {
  if (wires_.find(in.sub) != nullptr) history_.stepped(now, in.sub, in);
}

void PeerSession::on(core::Now now, const LookedUp& in) { history_.looked_up(now, in); }

void PeerSession::on(core::Now now, const ReadingPaused& in) {
  reading_.pause(now, in.over_budget);
}

void PeerSession::on(core::Now now, const ReadingResumed& in) {
  (void)in;
  const auto span = reading_.resume(now);
  if (!span) return;
  wires_.put_off(*span, now);
  authentication_.put_off(*span, now);
}

}  // namespace graspd::sync
