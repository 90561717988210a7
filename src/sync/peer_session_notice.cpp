// What a relay says to nobody in particular: NOTICEs, and the answer to who we are.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sync/peer_session.h"

namespace graspd::sync {

// A NOTICE names no request: the first that nothing was heard of is meant, if the words fit it.
PeerSession::Wires::iterator PeerSession::likely_refused(RefusalKind kind) {
  for (auto at = wires_.begin(); at != wires_.end(); ++at) {
    const Wire& wire = at->second;
    const bool is_live = wire.purpose == Wire::Purpose::Live;
    if (wire.heard || wire.closed || !wire.sent) continue;
    if (kind == RefusalKind::FilterCount && wire.filters <= 1) continue;
    if (kind == RefusalKind::LimitZero && !is_live) continue;
    if ((kind == RefusalKind::LimitTooLarge || kind == RefusalKind::Size) && is_live) continue;
    return at;
  }
  return wires_.end();
}

// Of several requests in a row a relay takes the first and refuses the last.
PeerSession::Wires::iterator PeerSession::newest_unheard() {
  auto newest = wires_.end();
  for (auto at = wires_.begin(); at != wires_.end(); ++at) {
    const Wire& wire = at->second;
    if (wire.heard || wire.closed || !wire.sent) continue;
    if (newest == wires_.end() || wire.opened >= newest->second.opened) newest = at;
  }
  return newest;
}

PeerSession::Wires::iterator PeerSession::unheard_reconciliation() {
  return std::find_if(wires_.begin(), wires_.end(), [](const auto& one) {
    const Wire& wire = one.second;
    return wire.purpose == Wire::Purpose::Reconcile && !wire.heard && !wire.closed && wire.sent;
  });
}

void PeerSession::on(core::Now now, const Notice& in) {
  const RefusalKind kind = read_refusal(in.text).kind;
  const auto set = is_too_large(in.text) ? unheard_reconciliation() : wires_.end();
  if (set != wires_.end()) return refused_by_notice(now, set, in.text);
  switch (kind) {
    case RefusalKind::RateLimit: {
      const auto newest = newest_unheard();
      if (newest == wires_.end()) return rate_limited(now);
      return refused_by_notice(now, newest, in.text);
    }
    case RefusalKind::AuthRequired:
      if (auth_ != Auth::Unasked) return;
      authenticate(now);
      return ask_unheard_again(now);
    case RefusalKind::RetainedBytes:
    case RefusalKind::FilterCount:
    case RefusalKind::Concurrency:
    case RefusalKind::BadFilter:
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
    case RefusalKind::Size:
      return refused_by_notice(now, likely_refused(kind), in.text);
    case RefusalKind::Policy:
    case RefusalKind::Other:
      break;
  }
  if (memory_.lessons.negentropy_worked) return;
  // Judged by phase: before the first NEG-MSG a NOTICE is the answer to our NEG-OPEN.
  for (auto at = wires_.begin(); at != wires_.end();) {
    const auto next = std::next(at);
    const Wire& wire = at->second;
    if (wire.purpose == Wire::Purpose::Reconcile && wire.sent && !wire.heard) {
      const JobKey key = wire.job;
      close_wire(at->first, at->second);
      wires_.erase(at);
      no_negentropy(now, key, in.text);
    }
    at = next;
  }
}

void PeerSession::refused_by_notice(core::Now now, Wires::iterator at, const std::string& text) {
  if (at == wires_.end()) return;
  close_wire(at->first, at->second);
  if (at->second.purpose != Wire::Purpose::Reconcile) return refused(now, at, text);
  reconciliation_refused(now, at,
                         {memory_.id, session_, at->first, NegProblem::Refused, text, {}, {}});
}

void PeerSession::on(core::Now now, const Authenticated& in) {
  if (!in.accepted && read_refusal(in.text).kind == RefusalKind::RateLimit) {
    auth_ = Auth::Unasked;  // once more after the pause
    return rate_limited(now);
  }
  const bool was_given_up = auth_ == Auth::Refused;
  auth_ = in.accepted ? Auth::Accepted : Auth::Refused;
  if (in.accepted && was_given_up) retry_now(now);  // it took its time
}

void PeerSession::authenticate(core::Now now) {
  if (auth_ != Auth::Unasked) return;
  auth_ = Auth::Asked;
  auth_asked_at_ = now.instant;
  context_.ask(Authenticate{memory_.id, session_});
}

// What was sent before the relay knew us may be refused after: that says nothing of us.
bool PeerSession::will_be_known(core::Now now, const Wire& wire) {
  if (auth_ == Auth::Refused || wire.authenticated) return false;
  authenticate(now);
  return true;
}

// A NOTICE names no request: all that are not answered yet are sent again.
void PeerSession::ask_unheard_again(core::Now now) {
  std::vector<Sub> unheard;
  for (const auto& [sub, wire] : wires_) {
    if (!wire.heard && !wire.closed && wire.sent) unheard.push_back(sub);
  }
  for (const Sub sub : unheard) {
    const auto at = wires_.find(sub);
    close_wire(sub, at->second);
    const Wire wire = std::move(at->second);
    wires_.erase(at);
    const auto group = live_.find(wire.purpose == Wire::Purpose::Live ? wire.group : 0);
    if (group != live_.end() && group->second.retiring) {
      lose_retiring(now, wire.group);
    } else {
      requeue(now, wire, now.instant);
    }
  }
}

}  // namespace graspd::sync
