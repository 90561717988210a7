#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "app/sync_once/one_shot_sync.h"
#include "core/check.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using namespace std::chrono_literals;
namespace said = nostr::relay_said;
namespace says = nostr::client_says;
using sync::RefusalKind;

// What a relay may do before we leave it.
constexpr std::uint64_t kUnaskedMax = 10'000;
constexpr std::size_t kEventsPerPageMax = 20'000;
constexpr std::uint32_t kSetbacksMax = 40;
constexpr std::uint32_t kRetriesMax = 2;
constexpr core::Duration kRetryAfter = 1s;
constexpr core::Duration kPauseFirst = 5s;
constexpr core::Duration kPauseMax = 65s;

// It has it, or a newer version of it.
bool is_duplicate(std::string_view text) {
  return text.starts_with("duplicate:") || text.starts_with("replaced:");
}

}  // namespace

void OneShotSync::on(core::Now now, said::Matching& in) {
  const auto at = wires_.find(in.subscription);
  if (at == wires_.end() || at->second.ended) return;  // it was closed while this was on the way
  Wire& wire = at->second;
  wire.heard = true;
  const bool wanted = wire.purpose == Wire::Purpose::Fetch ? wire.ids.contains(in.event.id)
                                                           : arrived_on_page(wire, in.event);
  if (!wanted) return unasked(now);
  progress(now);
  hand_over(at->first, wire, std::move(in.event));
}

// False: it was not asked for.
bool OneShotSync::arrived_on_page(Wire& wire, const nostr::Event& event) {
  if (wire.purpose != Wire::Purpose::Page) return false;
  Piece& piece = pieces_[wire.piece];
  if (!wire.filter.matches(event)) {
    piece.pages->strayed(event.created_at);
    return false;
  }
  piece.pages->arrived(event.id, event.created_at);
  if (terms_.wish.up) piece.seen.insert(event.id);
  return ++wire.arrived <= kEventsPerPageMax;
}

void OneShotSync::unasked(core::Now now) {
  if (++report_.unasked > kUnaskedMax)
    give_up(now, "the relay sends events that were not requested");
}

void OneShotSync::hand_over(const std::string& sub, Wire& wire, nostr::Event event) {
  const nostr::EventId id = event.id;
  if (at_intake_.contains(id) || handed_.contains(id)) return;
  if (wire.purpose == Wire::Purpose::Page) {
    if (inventory_.knows(id)) {
      ++report_.already_here;
      handed_.insert(id);  // pages overlap: it counts once
      return;
    }
    if (missing_.insert(id).second) ++report_.missing_here;
  }
  if (!terms_.wish.stores()) return;
  handed_.insert(id);
  at_intake_.emplace(id, sub);
  ++wire.unjudged;
  ++report_.fetched;
  events_.push_back(std::move(event));
}

void OneShotSync::judged(core::Now now, const Judgement& judgement) {
  const auto intake = at_intake_.find(judgement.id);
  if (intake == at_intake_.end()) return;
  const std::string sub = std::move(intake->second);
  at_intake_.erase(intake);
  progressed_at_ = now.instant;
  bool genuine = true;
  switch (judgement.outcome) {
    case nostr::Outcome::Stored:
      ++report_.stored;
      break;
    case nostr::Outcome::Known:
      ++report_.known;
      break;
    case nostr::Outcome::Held:
      ++report_.held;
      break;
    case nostr::Outcome::Refused:
    case nostr::Outcome::Postponed:
      tally(report_.refused, judgement.text);
      break;
    case nostr::Outcome::Forged:
      ++report_.forged;
      genuine = false;
      handed_.erase(judgement.id);  // another copy may be the genuine one
      break;
    case nostr::Outcome::Failed:
      ++report_.failed;
      trouble(report_, judgement.text);
      break;
  }
  const auto at = wires_.find(sub);
  if (genuine) delivered(judgement.id);
  if (at != wires_.end()) {
    Wire& wire = at->second;
    --wire.unjudged;
    if (genuine) wire.ids.erase(judgement.id);
    if (wire.ended && wire.unjudged == 0) {
      const Wire done = std::move(wire);
      wires_.erase(at);
      finish_fetch(done);
    }
  }
  pump(now);
}

void OneShotSync::on(core::Now now, said::EndOfStored& in) {
  const auto at = wires_.find(in.subscription);
  if (at == wires_.end() || at->second.ended) return;
  Wire& wire = at->second;
  if (wire.purpose == Wire::Purpose::Reconcile) return;
  progress(now);
  words_.push_back(says::close(at->first));
  wire.completeness = in.completeness;
  wire.ended = true;
  if (wire.purpose == Wire::Purpose::Fetch && wire.unjudged > 0) return;
  const Wire done = std::move(wire);
  wires_.erase(at);
  if (done.purpose == Wire::Purpose::Page)
    finish_page(now, done);
  else
    finish_fetch(done);
}

void OneShotSync::on(core::Now now, said::NegMessage& in) {
  const auto at = wires_.find(in.subscription);
  if (at == wires_.end() || at->second.purpose != Wire::Purpose::Reconcile) return;
  Wire& wire = at->second;
  const std::size_t index = wire.piece;
  auto step = wire.initiator->reconcile(in.message);
  if (!step) {
    close_wire(at);
    return no_negentropy(index, std::string(negentropy::describe(step.error())));
  }
  progress(now);
  ++report_.rounds;
  wire.heard = negentropy_worked_ = true;
  wire.only_ours += step->have.size();
  for (const negentropy::Id& id : step->need) missing(index, nostr::EventId(id));
  for (const negentropy::Id& id : step->have) lacking(nostr::EventId(id));
  wire.next = std::move(step->next);
  if (wire.next) return;
  report_.already_here += wire.ours - wire.only_ours;
  close_wire(at);
  Piece& piece = pieces_[index];
  piece.phase = piece.waiting > 0 ? Piece::Phase::Fetching : Piece::Phase::Done;
}

void OneShotSync::on(core::Now now, said::NegError& in) {
  const auto at = wires_.find(in.subscription);
  if (at == wires_.end() || at->second.purpose != Wire::Purpose::Reconcile) return;
  refused(now, at, in.text, in.cap);
}

void OneShotSync::on(core::Now now, said::Closed& in) {
  const auto at = wires_.find(in.subscription);
  if (at == wires_.end() || at->second.ended) return;
  refused(now, at, in.text, std::nullopt);
}

void OneShotSync::on(core::Now now, said::Notice& in) {
  terms_.notice(in.text);
  if (sync::read_refusal(in.text).kind == RefusalKind::RateLimit) return slow_down(now);
  if (negentropy_worked_) return;
  // Judged by phase: before the first answer a NOTICE is the answer to our NEG-OPEN (R2).
  for (auto at = wires_.begin(); at != wires_.end();) {
    const auto here = at++;
    if (here->second.purpose != Wire::Purpose::Reconcile) continue;
    const std::size_t piece = here->second.piece;
    close_wire(here);
    no_negentropy(piece, in.text);
  }
}

void OneShotSync::refused(core::Now now, Wires::iterator at, const std::string& text,
                          std::optional<std::uint64_t> cap) {
  const Wire wire = std::move(at->second);
  wires_.erase(at);
  const RefusalKind kind = sync::read_refusal(text).kind;
  if (wire.purpose == Wire::Purpose::Reconcile && (cap || sync::is_too_large(text))) {  // R2
    progress(now);
    return split(now, wire.piece, wire.middle);
  }
  if (comply(now, wire, kind)) {
    if (++setbacks_ > kSetbacksMax) give_up(now, fmt::format("the relay keeps refusing: {}", text));
    return;
  }
  refused_for_good(now, wire, text);
}

// Does what the refusal asks for; false when it asks for nothing that we could do.
bool OneShotSync::comply(core::Now now, const Wire& wire, RefusalKind kind) {
  switch (kind) {
    case RefusalKind::AuthRequired:
      if (auth_ == Auth::Accepted || auth_ == Auth::Refused) return false;
      authenticate();
      requeue(wire, now.instant);
      return true;
    case RefusalKind::RateLimit:
      slow_down(now);
      requeue(wire, now.instant);
      return true;
    case RefusalKind::Concurrency: {
      auto& max = wire.purpose == Wire::Purpose::Reconcile ? budget_.reconciliations_max
                                                           : budget_.transients_max;
      max = std::max<std::size_t>(max - 1, 1);
      requeue(wire, now.instant + kRetryAfter);
      return true;
    }
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
      if (!lower_limit(wire)) return false;
      requeue(wire, now.instant);
      return true;
    case RefusalKind::RetainedBytes:
    case RefusalKind::FilterCount:
    case RefusalKind::Size:
    case RefusalKind::BadFilter:
    case RefusalKind::Policy:
    case RefusalKind::Other:
      return false;
  }
  CHECK(false);
}

bool OneShotSync::lower_limit(const Wire& wire) {
  if (wire.purpose == Wire::Purpose::Fetch && budget_.ids_per_fetch > 1) {
    budget_.ids_per_fetch /= 2;
    return true;
  }
  if (wire.purpose != Wire::Purpose::Page || !pieces_[wire.piece].pages->lower_limit())
    return false;
  budget_.page_limits = pieces_[wire.piece].pages->limits();
  return true;
}

void OneShotSync::refused_for_good(core::Now now, const Wire& wire, const std::string& text) {
  if (wire.purpose == Wire::Purpose::Fetch) return finish_fetch(wire);
  const bool may_pass = sync::read_refusal(text).kind == RefusalKind::Other;
  const bool reconciles = wire.purpose == Wire::Purpose::Reconcile;
  if (may_pass && (!reconciles || wire.heard) && pieces_[wire.piece].retries++ < kRetriesMax)
    return requeue(wire, now.instant + kRetryAfter);
  if (reconciles) return no_negentropy(wire.piece, text);
  fail(wire.piece, fmt::format("refused: {}", text));
}

// It will be asked again, as if it had not been (R3).
void OneShotSync::requeue(const Wire& wire, core::Instant not_before) {
  if (wire.purpose == Wire::Purpose::Fetch) {
    fetch_not_before_ = not_before;
    std::vector<nostr::EventId> ids;
    for (const nostr::EventId& id : wire.ids)
      if (!at_intake_.contains(id)) ids.push_back(id);
    return desk_.put_back(ids);
  }
  Piece& piece = pieces_[wire.piece];
  if (wire.purpose == Wire::Purpose::Page) piece.pages->broken();
  piece.phase = Piece::Phase::Ready;
  piece.not_before = not_before;
}

void OneShotSync::slow_down(core::Now now) {
  pace_.refused(now.instant);
  if (now.instant < paused_until_) return;
  core::Duration pause = kPauseFirst;
  for (std::uint32_t i = 0; i < setbacks_ && pause < kPauseMax; ++i) pause *= 2;
  paused_until_ = now.instant + std::min(pause, kPauseMax);
  progressed_at_ = std::max(progressed_at_, paused_until_);  // R7
}

void OneShotSync::on(core::Now, said::Challenge& in) {
  challenge_ = std::move(in.text);
  if (auth_ == Auth::Wanted) reply_to_challenge();
}

void OneShotSync::authenticate() {
  if (auth_ != Auth::Unasked) return;
  auth_ = Auth::Wanted;
  if (challenge_) reply_to_challenge();
}

void OneShotSync::reply_to_challenge() {
  const auto event = terms_.answer ? terms_.answer(*challenge_) : std::nullopt;
  auth_ = event ? Auth::Asked : Auth::Refused;
  if (!event) return;
  auth_event_ = event->id;
  words_.push_back(says::auth(nostr::to_json(*event)));
}

void OneShotSync::on(core::Now now, said::Ok& in) {
  if (in.id != auth_event_) return upload_answered(now, in);
  progress(now);
  auth_ = in.accepted ? Auth::Accepted : Auth::Refused;
  if (!in.accepted) trouble(report_, fmt::format("the relay denies access: {}", in.text));
}

void OneShotSync::upload_answered(core::Now now, const said::Ok& in) {
  const RefusalKind kind = in.accepted ? RefusalKind::Other : sync::read_refusal(in.text).kind;
  if (kind == RefusalKind::RateLimit) {
    uploads_.slow_down(in.id, now.instant);
    if (uploads_.is_hopeless()) give_up(now, fmt::format("the relay accepts no more: {}", in.text));
    return;
  }
  if (!uploads_.answered(in.id)) return;
  progress(now);
  if (kind == RefusalKind::AuthRequired &&
      (auth_ == Auth::Unasked || auth_ == Auth::Wanted || auth_ == Auth::Asked)) {
    authenticate();
    return uploads_.put_back(in.id);
  }
  if (is_duplicate(in.text))
    ++report_.upload_duplicates;
  else if (in.accepted)
    ++report_.uploaded;
  else
    tally(report_.upload_refused, in.text);
}

}  // namespace graspd::app
