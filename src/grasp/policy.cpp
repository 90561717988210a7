#include "grasp/policy.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "grasp/decisions.h"
#include "grasp/policy_loader.h"
#include "grasp/references.h"
#include "grasp/release.h"
#include "grasp/revert.h"
#include "grasp/sweep.h"
#include "nostr/nip19.h"
#include "nostr/replaceable.h"
#include "store/answer.h"

namespace graspd::grasp {

Policy::Policy(PolicyOptions options, const store::EventStore& store)
    : store_(store), state_(std::make_shared<const Rules>(std::move(options))) {}

core::Result<core::Done, store::StoreError> Policy::load(core::UnixSeconds now) {
  return PolicyLoader(state_, store_, relisting_, owed_).load(now);
}

Verdict Policy::decide(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                       Transition& changes) {
  Verdict verdict = examine(wire, origin, now, changes);
  state_.rejections.remember(wire, origin, reason_of(verdict), now, changes);
  const bool is_stored =
      std::holds_alternative<Take>(verdict) && !nostr::is_ephemeral(wire->event.kind);
  if (is_stored && origin.synced) synced_in_flight_.insert_or_assign(wire->event.id, origin);
  state_.rejections.answer_calls(changes);
  return verdict;
}

Verdict Policy::examine(const nostr::WireEventPtr& wire, const Origin& origin,
                        core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  const PolicyOptions& options = state_.rules().options();
  const bool by_operator = event.pubkey == options.operator_key;
  if (!by_operator && options.event_blacklist.matches_author(event.pubkey))
    return Refuse{
        fmt::format("blocked: Event author {} is blacklisted", nostr::nip19::npub(event.pubkey)),
        Reason::Unwelcome};
  const auto here = store_.snapshot();
  if (!here) return Refuse{fmt::format("error: {}", store::describe(here.error()))};

  const DecisionContext context{wire,           event,      origin, now,    **here,
                                state_.rules(), in_flight_, state_, changes};
  if (nostr::is_ephemeral(event.kind)) return decide_ephemeral(context);
  if (auto answer = known_answer(context)) return *std::move(answer);
  Verdict verdict = dispatch(context);
  if (std::holds_alternative<Take>(verdict)) keep_superseded(context);
  if (std::holds_alternative<Take>(verdict) && can_anchor(event.kind)) {
    in_flight_.ids.insert(event.id);
    if (auto address = nostr::address_of(event)) in_flight_.addresses.insert(*std::move(address));
  }
  return verdict;
}

Verdict Policy::dispatch(const DecisionContext& context) const {
  const nostr::Kind kind = context.event.kind;
  if (kind == kinds::kAnnouncement) return decide_announcement(context);
  if (kind == kinds::kState) return decide_state(context);
  if (kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate)
    return decide_pull_request(context);
  if (kind == nostr::kinds::kDeletion) return decide_deletion(context);
  if (kind == nostr::kinds::kVanish) return decide_vanish(context);
  if (kind == kinds::kUserGraspList) return decide_user_list(context);
  if (context.event.pubkey == context.rules.options().operator_key) return Take{};
  if (kind == nostr::kinds::kMetadata || kind == nostr::kinds::kRelayList)
    return decide_person(context);
  return decide_other(context);
}

// What the store would say of it, whoever sent it: nothing that was deleted comes back by way of
// purgatory, and nothing old takes the place of something newer.
std::optional<Verdict> Policy::known_answer(const DecisionContext& context) {
  const auto outcome = context.here.judge(*context.wire, context.now);
  if (!outcome) return Refuse{fmt::format("error: {}", store::describe(outcome.error()))};
  if (*outcome == store::Outcome::Stored) return std::nullopt;
  const nostr::Answer answer = store::answer_to(*outcome);
  if (answer.accepted) return Wait{std::string(answer.text), reason_of(*outcome)};
  return Refuse{std::string(answer.text), reason_of(*outcome)};
}

void Policy::keep_superseded(const DecisionContext& context) {
  const auto address = nostr::address_of(context.event);
  if (!history::is_kept(context.event.kind) || !address) return;
  const auto keep = [&](std::vector<store::Note> notes) {
    for (store::Note& note : notes) context.changes.put_note(std::move(note));
  };
  keep(history::succession(context.here, context.event));
  nostr::WireEventPtr& newest = versions_in_flight_[*address];
  const auto version = [](const nostr::Event& event) {
    return nostr::Version{event.created_at, event.id};
  };
  if (newest && !nostr::wins(version(context.event), version(newest->event))) return;
  if (newest) keep(history::keep(context.here, *newest));
  newest = context.wire;
}

void Policy::settled(const nostr::WireEventPtr& wire, store::Outcome outcome, core::UnixSeconds now,
                     Transition& changes) {
  const nostr::Event& event = wire->event;
  in_flight_.ids.erase(event.id);
  if (const auto address = nostr::address_of(event)) {
    in_flight_.addresses.erase(*address);
    versions_in_flight_.erase(*address);
  }
  const auto synced = synced_in_flight_.extract(event.id);
  if (outcome != store::Outcome::Stored) {
    const Origin origin = synced ? synced.mapped() : Origin{};
    state_.forget_pooled(event.id, changes);
    return state_.rejections.remember(wire, origin, reason_of(outcome), now, changes);
  }
  if (event.kind == kinds::kAnnouncement) state_.store_announcement(event, changes);
  if (event.kind == kinds::kState) state_.store_state(event, changes);
  if (event.kind == nostr::kinds::kDeletion || event.kind == nostr::kinds::kVanish)
    apply_deletion(state_, event, now, changes);
  state_.rejections.call(calls_of(event));
  state_.rejections.answer_calls(changes);
}

void Policy::revert(std::span<const std::string> note_keys, const Transition& left,
                    core::UnixSeconds now, Transition& changes) {
  in_flight_ = {};
  synced_in_flight_.clear();
  versions_in_flight_.clear();
  grasp::revert(state_, store_, note_keys, left, now, changes);
}

void Policy::use(AccessLists lists) {
  const std::string before = state_.rules().text();
  auto rules = std::make_shared<Rules>(state_.rules());
  rules->use(std::move(lists));
  state_.current_rules = rules;
  forget_other_rules(state_, before, owed_);
  if (before != rules->text()) state_.rejections.orphans().call_all();
}

void Policy::released(const nostr::WireEventPtr& event, store::Outcome outcome,
                      Transition& changes) {
  const auto here = store_.snapshot();
  if (!here) return core::log::error("cannot read the database: {}", store::describe(here.error()));
  grasp::released(state_, **here, event, outcome, changes);
}

std::vector<store::Note> Policy::notes_of_release(const nostr::Event& event) const {
  const auto here = store_.snapshot();
  if (!here) return {};
  return grasp::notes_of_release(state_, **here, event);
}

void Policy::expire(core::UnixSeconds now, Transition& changes) {
  changes.append(std::exchange(owed_, {}));
  const auto here = store_.snapshot();
  if (!here) return core::log::error("cannot read the database: {}", store::describe(here.error()));
  sweep(state_, **here, now, changes);
}

void Policy::resume_threads(Transition& changes) const {
  for (const auto& [coordinate, term] : state_.threads.terms()) {
    if (state_.catalog.find(coordinate))
      changes.add(RestoreThreads{coordinate});
    else
      changes.add(ArchiveThreads{{coordinate, term.announcement}});
  }
}

void Policy::states_ended(const std::vector<Coordinate>& states, Transition& changes) {
  for (const Coordinate& key : states) state_.forget_served_state(key, changes);
}

}  // namespace graspd::grasp
