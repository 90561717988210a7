#include "grasp/policy.h"

#include <algorithm>
#include <fmt/format.h>

#include "grasp/references.h"
#include "nostr/nip19.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

OrphanPoolLimits patient(OrphanPoolLimits limits, core::UnixSeconds at_least) {
  limits.patience = std::max(limits.patience, at_least);
  return limits;
}

}  // namespace

Policy::Policy(PolicyOptions options, const store::EventStore& store)
    : options_(std::move(options)),
      store_(store),
      catalog_(options_.membership, options_.members_max),
      purgatory_(options_.purgatory),
      new_repositories_(options_.new_repositories_per_relay),
      orphans_(patient(options_.orphan_pool, options_.rejected_whole)),
      rejected_(options_.rejected),
      requests_("stranger-request/", options_.stranger_requests),
      lists_("stranger-list/", options_.stranger_lists) {}

Verdict Policy::decide(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                       Transition& changes) {
  Verdict verdict = examine(wire, origin, now, changes);
  remember(wire, origin, reason_of(verdict), now, changes);
  const bool is_stored =
      std::holds_alternative<Take>(verdict) && !nostr::is_ephemeral(wire->event.kind);
  if (is_stored && origin.synced) synced_in_flight_.insert_or_assign(wire->event.id, origin);
  answer_calls(changes);
  return verdict;
}

Verdict Policy::examine(const nostr::WireEventPtr& wire, const Origin& origin,
                        core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  const bool by_operator = event.pubkey == options_.operator_key;
  if (!by_operator && options_.event_blacklist.matches_author(event.pubkey))
    return Refuse{
        fmt::format("blocked: Event author {} is blacklisted", nostr::nip19::npub(event.pubkey)),
        Reason::Unwelcome};
  const auto here = store_.snapshot();
  if (!here) return Refuse{fmt::format("error: {}", store::describe(here.error()))};

  const Call call{wire, event, origin, now, **here, changes};
  if (nostr::is_ephemeral(event.kind)) return ephemeral(call);
  if (auto answer = known_answer(call)) return *std::move(answer);
  Verdict verdict = dispatch(call);
  if (std::holds_alternative<Take>(verdict)) keep_superseded(call);
  if (std::holds_alternative<Take>(verdict) && can_anchor(event.kind)) {
    in_flight_.ids.insert(event.id);
    if (auto address = nostr::address_of(event)) in_flight_.addresses.insert(*std::move(address));
  }
  return verdict;
}

Verdict Policy::dispatch(const Call& call) {
  const nostr::Kind kind = call.event.kind;
  if (kind == kinds::kAnnouncement) return announcement(call);
  if (kind == kinds::kState) return state(call);
  if (kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate) return pull_request(call);
  if (kind == nostr::kinds::kDeletion) return deletion(call);
  if (kind == nostr::kinds::kVanish) return vanish(call);
  if (kind == kinds::kUserGraspList) return user_list(call);
  if (call.event.pubkey == options_.operator_key) return Take{};
  if (kind == nostr::kinds::kMetadata || kind == nostr::kinds::kRelayList) return person(call);
  return other(call);
}

// What the store would say of it, whoever sent it: nothing that was deleted comes back by way of
// purgatory, and nothing old takes the place of something newer.
std::optional<Verdict> Policy::known_answer(const Call& call) const {
  const auto outcome = call.here.judge(*call.wire, call.now);
  if (!outcome) return Refuse{fmt::format("error: {}", store::describe(outcome.error()))};
  switch (*outcome) {
    case store::Outcome::Stored:
      return std::nullopt;
    case store::Outcome::Duplicate:
      return Wait{"duplicate: already have this event"};
    case store::Outcome::Superseded:
      return Wait{"duplicate: superseded by a newer event", Reason::Superseded};
    case store::Outcome::Deleted:
      return Refuse{"blocked: this event is deleted", Reason::Deleted};
    case store::Outcome::Vanished:
      return Refuse{"blocked: the author asked to vanish", Reason::Vanished};
    case store::Outcome::Expired:
      return Refuse{"blocked: event is expired", Reason::Expired};
  }
  CHECK(false);
}

// Profiles and relay lists are of use where their author takes part.
Verdict Policy::person(const Call& call) {
  if (!is_stranger(call)) return Take{};
  return Refuse{
      fmt::format("restricted: Kind {} author must participate in an accepted repository thread",
                  call.event.kind.value),
      Reason::Lacking};
}

Verdict Policy::other(const Call& call) {
  if (is_related(call.event, catalog_, call.here, in_flight_, call.now)) return Take{};
  return Refuse{"restricted: Event must reference an accepted repository or accepted event",
                Reason::Lacking};
}

void Policy::settled(const nostr::WireEventPtr& wire, std::optional<store::Outcome> outcome,
                     core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  in_flight_.ids.erase(event.id);
  if (const auto address = nostr::address_of(event)) {
    in_flight_.addresses.erase(*address);
    versions_in_flight_.erase(*address);
  }
  const auto synced = synced_in_flight_.extract(event.id);
  if (!outcome) return write_failed(event, changes);
  if (*outcome != store::Outcome::Stored) {
    const Origin origin = synced ? synced.mapped() : Origin{};
    forget_pooled(event.id, changes);
    return remember(wire, origin, reason_of(*outcome), now, changes);
  }
  if (event.kind == kinds::kAnnouncement) stored_announcement(event, changes);
  if (event.kind == kinds::kState) stored_state(event, changes);
  if (event.kind == nostr::kinds::kDeletion || event.kind == nostr::kinds::kVanish)
    apply_deletion(event, now, changes);
  call(calls_of(event));
  answer_calls(changes);
}

}  // namespace graspd::grasp
