#include "sync/refusals.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
using Request = Remedy::Request;
constexpr core::Duration kConcurrencyWait = 1s;
constexpr core::Duration kCapacityWait = 5s;
constexpr std::uint64_t kRetainedDefault = 1 << 20;
constexpr std::uint64_t kRetainedMin = 2048;  // less cannot hold one filter of any use
constexpr core::UnixSeconds kNegentropyMemory = 7 * 86'400;

// It may be about one of several filters.
bool is_about_filters(RefusalKind kind) {
  return kind == RefusalKind::Size || kind == RefusalKind::BadFilter ||
         kind == RefusalKind::LimitZero || kind == RefusalKind::LimitTooLarge;
}

}  // namespace

Refusals::Refusals(PeerContext& peer, Wires& wires, Authentication& authentication)
    : context_(peer.engine),
      memory_(peer.memory),
      budget_(peer.budget),
      wires_(wires),
      authentication_(authentication) {}

void Refusals::rate_limited(core::Now now) {
  wires_.slow_down(now);
  if (!memory_.health.rate_limited(context_.options, now, {})) return;
  ++memory_.meter.rate_limits;
  memory_.dirty = true;
  context_.log(core::log::Level::Info, "sync: {} asks us to slow down", memory_.url.text());
}

void Refusals::unwelcome(core::Now now, RequestClass refused, const std::string& text) {
  const core::Instant until = now.instant + context_.options.policy_pause;
  if (const char* category = policy_category(text)) ++memory_.meter.policy_refusals[category];
  if (memory_.policy_until.contains(refused)) return;
  memory_.policy_until[refused] = until;
  memory_.dirty = true;
  memory_.health.policy_limited(until);
  context_.log(core::log::Level::Warn, "sync: {} refuses us: {}", memory_.url.text(), text);
}

bool Refusals::no_negentropy(core::Now now, const std::string& text) {
  if (memory_.lessons.negentropy_worked && text == "silence") return false;
  memory_.lessons.negentropy_refused_until = now.unix_seconds + kNegentropyMemory;
  memory_.lessons.negentropy_worked = false;
  memory_.dirty = true;
  if (std::exchange(memory_.negentropy_refusal_logged, true)) return true;
  context_.log(core::log::Level::Info, "sync: {} does not reconcile ({}): reading pages",
               memory_.url.text(), text);
  return true;
}

void Refusals::shrink_budget() {
  memory_.dirty = true;
  const Budget before = budget_;
  budget_ = make_budget(memory_.information, memory_.lessons);
  budget_.reconciliations_max = std::min(budget_.reconciliations_max, before.reconciliations_max);
  budget_.transients_max = std::min(budget_.transients_max, before.transients_max);
  budget_.live_slots = std::min(budget_.live_slots, before.live_slots);
  budget_.slots = std::min(budget_.slots, before.slots);
}

// What the table says.
Remedy Refusals::learn(core::Now now, const Wire& wire, const std::string& text) {
  const Refusal refusal = read_refusal(text);
  const bool is_proof = wire.purpose == Wire::Purpose::Proof;
  if (is_proof && is_about_filters(refusal.kind)) return {Request::ReadAlone};
  switch (refusal.kind) {
    case RefusalKind::AuthRequired:
      if (!authentication_.helps(now, wire.authenticated)) return {Request::Unwelcome};
      return Remedy::again(now.instant);
    case RefusalKind::RateLimit:
      rate_limited(now);
      return Remedy::again(now.instant);
    case RefusalKind::Concurrency:
      return fewer_at_once(now, wire);
    case RefusalKind::RetainedBytes:
      return fewer_bytes(now, refusal.bytes.value_or(kRetainedDefault));
    case RefusalKind::FilterCount:
      if (wire.filters <= 1) return {Request::Unwelcome};
      return fewer_filters(now, wire, text);
    case RefusalKind::Size:
      return {wire.is_live() || wire.is_by_id() ? Request::Later : Request::LessAtOnce};
    case RefusalKind::BadFilter:
      return {wire.is_by_id() ? Request::Fail : Request::FewerValues};
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
      return lower_limit(now, wire);
    case RefusalKind::Policy:
      return {Request::Unwelcome};
    case RefusalKind::Other:
      return {Request::Later};
  }
  CHECK(false);
  return {};
}

Remedy Refusals::learn(core::Now now, const Wire& wire, const NegFailed& failed) {
  if (failed.problem == NegProblem::OursUnread) return {Request::Fail};
  const bool is_size =
      failed.problem == NegProblem::OursTooLarge || failed.cap || is_too_large(failed.text);
  if (is_size) return {Request::SplitByTime};
  switch (read_refusal(failed.text).kind) {
    case RefusalKind::Concurrency:
      budget_.reconciliations_max = std::max<std::size_t>(budget_.reconciliations_max - 1, 1);
      return Remedy::again(now.instant + kConcurrencyWait);
    case RefusalKind::RateLimit:
      rate_limited(now);
      return Remedy::again(now.instant);
    case RefusalKind::AuthRequired:
      if (!authentication_.helps(now, wire.authenticated)) return {Request::Pages};
      return Remedy::again(now.instant);
    case RefusalKind::RetainedBytes:
    case RefusalKind::FilterCount:
    case RefusalKind::Size:
    case RefusalKind::BadFilter:
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
    case RefusalKind::Policy:
    case RefusalKind::Other:
      return {Request::Pages};
  }
  CHECK(false);
  return {};
}

Remedy Refusals::fewer_at_once(core::Now now, const Wire& wire) {
  Remedy remedy = Remedy::again(now.instant + kConcurrencyWait);
  if (!wire.is_live() && budget_.transients_max > 1) {
    --budget_.transients_max;
    return remedy;
  }
  // Live subscriptions leave no space: what is open now is what there is.
  budget_.slots = std::clamp<std::size_t>(wires_.open_count(), 2, budget_.slots);
  budget_.live_slots = std::min(budget_.live_slots, budget_.slots - 1);
  remedy.replan_live = remedy.make_space = true;
  return remedy;
}

Remedy Refusals::fewer_bytes(core::Now now, std::uint64_t cap) {
  auto& learnt = memory_.lessons.retained_bytes_max;
  learnt = learnt && *learnt <= cap ? std::max(*learnt * 3 / 4, kRetainedMin) : cap;
  shrink_budget();
  Remedy remedy = Remedy::again(now.instant + kCapacityWait);
  remedy.replan_live = remedy.make_space = remedy.fit_bytes = true;
  return remedy;
}

Remedy Refusals::fewer_filters(core::Now now, const Wire& wire, const std::string& text) {
  std::size_t& max = memory_.lessons.filters_per_req_max;
  max = std::max<std::size_t>(1, std::min(max, wire.filters) / 2);
  if (const char* category = policy_category(text)) ++memory_.meter.policy_refusals[category];
  shrink_budget();
  Remedy remedy = Remedy::again(now.instant);
  if (wire.purpose == Wire::Purpose::Sweep) remedy.request = Request::OneByOne;
  remedy.replan_live = true;
  return remedy;
}

// Less is asked for at a time, unless that is little already.
Remedy Refusals::lower_limit(core::Now now, const Wire& wire) {
  if (wire.purpose == Wire::Purpose::Sweep) return {Request::OneByOne};  // pages find out how much
  if (wire.is_live()) {
    memory_.dirty = true;
    const bool was_known = std::exchange(memory_.lessons.limit_zero_refused, true);
    return was_known ? Remedy{Request::Later} : Remedy::again(now.instant);
  }
  if (!wire.is_by_id()) return {Request::SmallerPages, now.instant};
  const bool was_many = budget_.ids_max > 1;
  budget_.ids_max = std::max<std::size_t>(budget_.ids_max / 2, 1);
  budget_.ids_per_fetch = std::min(budget_.ids_per_fetch, budget_.ids_max);
  return was_many ? Remedy::again(now.instant) : Remedy{Request::Later};
}

std::optional<Sub> Refusals::first_unheard(RefusalKind kind) const {
  for (const auto& [sub, wire] : wires_.all()) {
    if (!wire.is_unheard()) continue;
    if (kind == RefusalKind::FilterCount && wire.filters <= 1) continue;
    if (kind == RefusalKind::LimitZero && !wire.is_live()) continue;
    const bool is_about_history = kind == RefusalKind::LimitTooLarge || kind == RefusalKind::Size;
    if (is_about_history && wire.is_live()) continue;
    return sub;
  }
  return std::nullopt;
}

std::optional<Sub> Refusals::newest_unheard() const {
  std::optional<Sub> newest;
  core::Instant opened{};
  for (const auto& [sub, wire] : wires_.all()) {
    if (!wire.is_unheard() || (newest && wire.opened < opened)) continue;
    newest = sub;
    opened = wire.opened;
  }
  return newest;
}

std::optional<Sub> Refusals::unheard_reconciliation() const {
  for (const auto& [sub, wire] : wires_.all()) {
    if (wire.is_reconciliation() && wire.is_unheard()) return sub;
  }
  return std::nullopt;
}

std::optional<Sub> Refusals::addressee(const std::string& notice) const {
  if (is_too_large(notice)) {
    if (const auto set = unheard_reconciliation()) return set;
  }
  const RefusalKind kind = read_refusal(notice).kind;
  switch (kind) {
    case RefusalKind::RateLimit:
      return newest_unheard();
    case RefusalKind::RetainedBytes:
    case RefusalKind::FilterCount:
    case RefusalKind::Concurrency:
    case RefusalKind::BadFilter:
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
    case RefusalKind::Size:
      return first_unheard(kind);
    case RefusalKind::AuthRequired:
    case RefusalKind::Policy:
    case RefusalKind::Other:
      return std::nullopt;
  }
  CHECK(false);
  return std::nullopt;
}

}  // namespace graspd::sync
