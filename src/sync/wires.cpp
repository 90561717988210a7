#include "sync/wires.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

// Our own software needs no pace.
Pace pace_for(const PeerContext& peer, core::Now now) {
  const auto& information = peer.memory.information;
  const std::string& ours = peer.engine.options.own_software;
  const bool is_ours =
      information && !ours.empty() && information->software.find(ours) != std::string::npos;
  return is_ours ? Pace::unlimited(now.instant) : Pace(now.instant);
}

bool is_of_batch(const Wire& wire, std::uint32_t batch) {
  return !wire.is_live() && !wire.is_by_id() && wire.job.batch == batch;
}

}  // namespace

Wires::Wires(PeerContext& peer, const Authentication& authentication, const ReadingPauses& reading,
             core::Now now)
    : peer_(peer), authentication_(authentication), reading_(reading), pace_(pace_for(peer, now)) {}

Wire* Wires::find(Sub sub) {
  const auto at = wires_.find(sub);
  return at == wires_.end() ? nullptr : &at->second;
}

std::vector<Sub> Wires::unheard() const {
  std::vector<Sub> out;
  for (const auto& [sub, wire] : wires_) {
    if (wire.is_unheard()) out.push_back(sub);
  }
  return out;
}

Sub Wires::open(core::Now now, Wire wire, Source source, std::vector<nostr::Filter> filters) {
  CHECK(has_slot());  // R3
  const Sub sub = peer_.engine.next_sub();
  wire.opened = wire.progressed = now.instant;
  wire.authenticated = authentication_.is_accepted();
  wire.filters = filters.size();
  wires_.emplace(sub, std::move(wire));
  ++peer_.memory.meter.requests;
  peer_.engine.ask(
      Subscribe{peer_.memory.id, peer_.session, sub, source,
                std::make_shared<const std::vector<nostr::Filter>>(std::move(filters))});
  return sub;
}

Sub Wires::open_by_id(core::Now now, Wire::Purpose purpose, Source source,
                      std::set<nostr::EventId> ids) {
  nostr::Filter filter;
  filter.ids = std::vector<nostr::EventId>(ids.begin(), ids.end());
  filter.limit = ids.size();
  Wire wire;
  wire.purpose = purpose;
  wire.ids = std::move(ids);
  return open(now, std::move(wire), source, {std::move(filter)});
}

void Wires::open_reconciliation(core::Now now, Wire wire, nostr::Filter filter,
                                std::optional<std::vector<nostr::Address>> asked) {
  wire.purpose = Wire::Purpose::Reconcile;
  wire.sent = false;
  wire.opened = wire.progressed = now.instant;
  wire.authenticated = authentication_.is_accepted();
  const Sub sub = peer_.engine.next_sub();
  wires_.emplace(sub, std::move(wire));
  ++peer_.memory.meter.reconciliations;
  peer_.engine.ask(NegOpen{peer_.memory.id, peer_.session, sub, std::move(filter),
                           peer_.budget.frame_bytes, peer_.budget.window_items, std::move(asked)});
}

void Wires::continue_reconciliation(core::Now now, Sub sub) {
  Wire& wire = wires_.at(sub);
  wire.more = false;
  wire.progressed = now.instant;
  peer_.engine.ask(NegContinue{peer_.memory.id, peer_.session, sub});
}

void Wires::close(Sub sub) {
  Wire& wire = wires_.at(sub);
  CHECK(!wire.closed);
  wire.closed = true;
  if (wire.is_reconciliation()) {
    peer_.engine.ask(NegClose{peer_.memory.id, peer_.session, sub});
  } else {
    peer_.engine.ask(Unsubscribe{peer_.memory.id, peer_.session, sub});
  }
}

Wire Wires::take(Sub sub) {
  const auto at = wires_.find(sub);
  CHECK(at != wires_.end());
  Wire wire = std::move(at->second);
  wires_.erase(at);
  return wire;
}

void Wires::drop(Sub sub) {
  if (!wires_.at(sub).closed) close(sub);
  wires_.erase(sub);
}

void Wires::drop_batch(std::uint32_t batch) {
  for (auto at = wires_.begin(); at != wires_.end();) {
    const auto here = at++;
    if (is_of_batch(here->second, batch)) drop(here->first);
  }
}

void Wires::drop_reconciliation(JobKey job) {
  const auto at = std::find_if(wires_.begin(), wires_.end(), [&](const auto& one) {
    return one.second.is_reconciliation() && one.second.job == job;
  });
  if (at != wires_.end()) drop(at->first);
}

void Wires::close_all() {
  for (auto& [sub, wire] : wires_) {
    if (!wire.closed) close(sub);
  }
}

bool Wires::has_slot() const { return open_count() < peer_.budget.slots; }

std::size_t Wires::open_count() const {
  return static_cast<std::size_t>(std::count_if(
      wires_.begin(), wires_.end(), [](const auto& one) { return !one.second.closed; }));
}

std::size_t Wires::transients_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    const Wire& wire = one.second;
    return !wire.closed && !wire.is_live() && !wire.is_reconciliation();
  }));
}

std::size_t Wires::reconciliations_open() const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [](const auto& one) {
    return !one.second.closed && one.second.is_reconciliation();
  }));
}

bool Wires::has_transient_slot() const {
  return has_slot() && transients_open() < peer_.budget.transients_max;
}

bool Wires::has(Wire::Purpose purpose) const {
  return std::any_of(wires_.begin(), wires_.end(),
                     [&](const auto& one) { return one.second.purpose == purpose; });
}

bool Wires::take_token(core::Now now) {
  const core::Instant ready = pace_.ready_at(now.instant);
  if (ready > now.instant) {
    token_at_ = ready;
    return false;
  }
  pace_.take(now.instant);
  return true;
}

bool Wires::admits(core::Now now) {
  const bool admitted = peer_.engine.history.enter(peer_.memory.id, now.instant);
  turned_away_ |= !admitted;
  return admitted;
}

void Wires::begin_turn() {
  token_at_.reset();
  turned_away_ = false;
}

void Wires::end_turn() {
  if (history_open() > 0) return;
  if (turned_away_) {
    peer_.engine.history.yield(peer_.memory.id);
  } else {
    peer_.engine.history.leave(peer_.memory.id);
  }
}

std::optional<core::Instant> Wires::deadline(const Wire& wire) const {
  if (reading_.is_paused()) return std::nullopt;
  const Options& options = peer_.engine.options;
  if (wire.is_live()) {
    if (wire.listens) return std::nullopt;
    return wire.opened + options.first_frame_max;
  }
  if (wire.unjudged > 0 || wire.more) return std::nullopt;  // it is our turn
  if (wire.heard) return wire.progressed + options.progress_max;
  const bool silent = wire.is_reconciliation() && wire.sent;
  return wire.opened + (silent ? options.negentropy_silence_max : options.first_frame_max);
}

std::vector<Sub> Wires::late(core::Now now) const {
  std::vector<Sub> out;
  for (const auto& [sub, wire] : wires_) {
    const auto due = deadline(wire);
    if (due && *due <= now.instant) out.push_back(sub);
  }
  return out;
}

std::optional<core::Instant> Wires::next_deadline() const {
  std::optional<core::Instant> next;
  for (const auto& [sub, wire] : wires_) {
    const auto due = deadline(wire);
    if (due) next = std::min(next.value_or(*due), *due);
  }
  return next;
}

void Wires::put_off(core::Duration span, core::Now now) {
  const auto later = [&](core::Instant& at) { at = std::min(at + span, now.instant); };
  for (auto& [sub, wire] : wires_) {
    later(wire.opened);
    later(wire.progressed);
  }
}

}  // namespace graspd::sync
