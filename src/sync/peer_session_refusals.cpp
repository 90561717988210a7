// What a relay refuses: the part whose request it is carries out what that teaches (Refusals).
#include "sync/peer_session.h"

namespace graspd::sync {

void PeerSession::on(core::Now now, const Closed& in) {
  Wire* wire = wires_.find(in.sub);
  if (wire == nullptr || wire->ended) return;
  wire->closed = true;  // by them: nothing to close
  if (!wire->is_reconciliation()) return refused(now, in.sub, in.text);
  history_.reconciliation_refused(
      now, wires_.take(in.sub),
      {memory_.id, peer_.session, in.sub, NegProblem::Refused, in.text, {}, {}});
}

void PeerSession::on(core::Now now, const NegFailed& in) {
  if (wires_.find(in.sub) == nullptr) return;
  if (in.problem != NegProblem::Refused) wires_.close(in.sub);
  history_.reconciliation_refused(now, wires_.take(in.sub), in);
}

void PeerSession::refused(core::Now now, Sub sub, const std::string& text) {
  const Wire wire = wires_.take(sub);
  if (wire.is_live()) {
    live_.groups().interrupted();
    if (live_.groups().at(wire.group).retiring)
      return live_.groups().lose_retiring(now, wire.group);
  }
  const Remedy remedy = refusals_.learn(now, wire, text);
  if (wire.is_live()) {
    live_refused(now, wire, remedy, text);
  } else {
    const bool is_unwelcome = remedy.request == Remedy::Request::Unwelcome;
    const RequestClass refused = history_.class_of(wire);
    // Of given filters each is refused for itself.
    if (is_unwelcome && refused != RequestClass::Given) refusals_.unwelcome(now, refused, text);
    history_.refused(now, wire, remedy, text);
  }
  if (remedy.replan_live) live_.replan(now);
  if (remedy.make_space) live_.groups().make_space(now);
  if (remedy.fit_bytes && !wire.is_live()) history_.fit_bytes(now, wire);
}

void PeerSession::live_refused(core::Now now, const Wire& wire, const Remedy& remedy,
                               const std::string& text) {
  LiveGroups& groups = live_.groups();
  switch (remedy.request) {
    case Remedy::Request::Again:
      return groups.reopen(now, wire.group, remedy.not_before);
    case Remedy::Request::FewerValues:
      groups.reopen(now, wire.group, now.instant);
      return live_.split(now, wire.group);
    case Remedy::Request::Unwelcome: {
      const RequestClass refused = live_.class_of(wire.group);
      if (live_.split_classes(now, wire.group)) return;
      refusals_.unwelcome(now, refused, text);
      return groups.reopen(now, wire.group, memory_.policy_until.at(refused));
    }
    case Remedy::Request::Later:
    case Remedy::Request::Fail:
    case Remedy::Request::ReadAlone:
    case Remedy::Request::OneByOne:
    case Remedy::Request::LessAtOnce:
    case Remedy::Request::SmallerPages:
    case Remedy::Request::SplitByTime:
    case Remedy::Request::Pages:
      return groups.reopen_later(now, wire.group);
  }
}

void PeerSession::time_out(core::Now now, Sub sub) {
  if (wires_.find(sub)->is_live()) return live_.groups().timed_out(now, sub);
  history_.timed_out(now, sub);
}

void PeerSession::on(core::Now now, const Notice& in) {
  if (const auto sub = refusals_.addressee(in.text)) return refused_by_notice(now, *sub, in.text);
  switch (read_refusal(in.text).kind) {
    case RefusalKind::RateLimit:
      return refusals_.rate_limited(now);
    case RefusalKind::AuthRequired:
      if (!authentication_.is_unasked()) return;
      authentication_.ask(now);
      return ask_unheard_again(now);
    case RefusalKind::RetainedBytes:
    case RefusalKind::FilterCount:
    case RefusalKind::Concurrency:
    case RefusalKind::BadFilter:
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
    case RefusalKind::Size:
      return;
    case RefusalKind::Policy:
    case RefusalKind::Other:
      return history_.noticed(now, in.text);
  }
}

void PeerSession::refused_by_notice(core::Now now, Sub sub, const std::string& text) {
  wires_.close(sub);
  if (!wires_.find(sub)->is_reconciliation()) return refused(now, sub, text);
  history_.reconciliation_refused(
      now, wires_.take(sub), {memory_.id, peer_.session, sub, NegProblem::Refused, text, {}, {}});
}

// A NOTICE names no request: all that are not answered yet are sent again.
void PeerSession::ask_unheard_again(core::Now now) {
  for (const Sub sub : wires_.unheard()) {
    wires_.close(sub);
    const Wire wire = wires_.take(sub);
    if (!wire.is_live()) {
      history_.again(wire, now.instant);
    } else if (live_.groups().at(wire.group).retiring) {
      live_.groups().lose_retiring(now, wire.group);
    } else {
      live_.groups().reopen(now, wire.group, now.instant);
    }
  }
}

void PeerSession::on(core::Now now, const Authenticated& in) {
  if (!in.accepted && read_refusal(in.text).kind == RefusalKind::RateLimit) {
    authentication_.ask_again_later();
    return refusals_.rate_limited(now);
  }
  if (authentication_.answered(in.accepted)) retry_now(now);  // it took its time
}

}  // namespace graspd::sync
