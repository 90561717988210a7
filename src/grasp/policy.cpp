#include "grasp/policy.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "grasp/decisions.h"
#include "grasp/policy_loader.h"
#include "grasp/references.h"
#include "grasp/release.h"
#include "grasp/request_use.h"
#include "grasp/sweep.h"
#include "nostr/nip19.h"
#include "nostr/replaceable.h"
#include "store/answer.h"

namespace graspd::grasp {

Policy::Policy(PolicyOptions options, const store::EventStore& store)
    : store_(store),
      committed_(std::make_shared<const PolicySnapshot>(
          PolicyState(std::make_shared<const Rules>(std::move(options))))) {}

core::Result<core::Done, store::StoreError> Policy::load(core::UnixSeconds now) {
  auto loaded = PolicyLoader(working(), store_).load(now);
  commit();
  return loaded;
}

Policy::Transaction& Policy::transaction() {
  if (!transaction_) transaction_.emplace(Transaction{*committed_});
  return *transaction_;
}

void Policy::publish(PolicySnapshot current) {
  changed_listings_.merge(current.state_.catalog.take_changed());
  committed_ = std::make_shared<const PolicySnapshot>(std::move(current));
}

void Policy::commit() {
  if (!transaction_) return;
  publish(std::move(transaction_->current));
  transaction_.reset();
}

// What was to be tried once more in it was not: what it lacked is here, as far as anybody knows.
void Policy::fail() {
  if (!transaction_) return;
  const auto decided = std::exchange(transaction_->decided, {});
  transaction_.reset();
  PolicySnapshot before = *committed_;
  OrphanPool& orphans = before.state_.rejections.orphans();
  for (const nostr::EventId& id : decided)
    if (!orphans.is_waiting(id)) orphans.call_again(id);
  publish(std::move(before));
}

Verdict Policy::decide(const nostr::WireEventPtr& wire, const Origin& origin, core::UnixSeconds now,
                       Transition& changes) {
  transaction().decided.push_back(wire->event.id);
  Verdict verdict = examine(wire, origin, now, changes);
  Rejections& rejections = working().rejections;
  rejections.remember(wire, origin, reason_of(verdict), now, changes);
  const bool is_stored =
      std::holds_alternative<Take>(verdict) && !nostr::is_ephemeral(wire->event.kind);
  if (is_stored && origin.synced) transaction_->synced.insert_or_assign(wire->event.id, origin);
  rejections.answer_calls(changes);
  return verdict;
}

void Policy::refused(const nostr::WireEventPtr& event, const Origin& origin, Reason reason,
                     core::UnixSeconds now, Transition& changes) {
  working().rejections.remember(event, origin, reason, now, changes);
}

Verdict Policy::examine(const nostr::WireEventPtr& wire, const Origin& origin,
                        core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  const Rules& rules = current().rules();
  const bool by_operator = event.pubkey == rules.options().operator_key;
  if (!by_operator && rules.options().event_blacklist.matches_author(event.pubkey))
    return Refuse{
        fmt::format("blocked: Event author {} is blacklisted", nostr::nip19::npub(event.pubkey)),
        Reason::Unwelcome};
  const auto here = store_.snapshot();
  if (!here) return Refuse{fmt::format("error: {}", store::describe(here.error()))};

  InFlight& in_flight = transaction().in_flight;
  const DecisionContext context{wire,  event,     origin,    now,    **here,
                                rules, in_flight, working(), changes};
  if (nostr::is_ephemeral(event.kind)) return decide_ephemeral(context);
  if (auto answer = known_answer(context)) return *std::move(answer);
  Verdict verdict = dispatch(context);
  if (!std::holds_alternative<Take>(verdict)) return verdict;
  keep_superseded(context);
  if (!can_anchor(event.kind)) return verdict;
  in_flight.ids.insert(event.id);
  if (auto address = nostr::address_of(event)) in_flight.addresses.insert(*std::move(address));
  return verdict;
}

Verdict Policy::dispatch(const DecisionContext& context) {
  const nostr::Kind kind = context.event.kind;
  if (kind == kinds::kAnnouncement) return decide_announcement(context);
  if (kind == kinds::kState) return decide_state(context);
  if (kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate)
    return decide_pull_request(context);
  if (kind == nostr::kinds::kDeletion) return decide_deletion(context);
  if (kind == nostr::kinds::kVanish) return decide_vanish(context);
  if (kind == kinds::kUserGraspList) return decide_user_list(context);
  if (kind == kinds::kPrivateGraspList && context.rules.is_member(context.event.pubkey))
    return Take{};
  if (context.event.pubkey == context.rules.options().operator_key) return Take{};
  if (kind == nostr::kinds::kMetadata || kind == nostr::kinds::kRelayList ||
      kind == kinds::kPrivateGraspList)
    return decide_person(context);
  return decide_other(context);
}

// What the store would say of it, whoever sent it: nothing that was deleted comes back by way of
// purgatory, and nothing old takes the place of something newer.
std::optional<Verdict> Policy::known_answer(const DecisionContext& context) {
  const auto outcome = context.here.judge(*context.wire, context.now);
  if (!outcome) return Refuse{fmt::format("error: {}", store::describe(outcome.error()))};
  if (*outcome == store::Outcome::Stored) return std::nullopt;
  credit_request(context, *outcome);
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
  nostr::WireEventPtr& newest = transaction().versions[*address];
  const auto version = [](const nostr::Event& event) {
    return nostr::Version{event.created_at, event.id};
  };
  if (newest && !nostr::wins(version(context.event), version(newest->event))) return;
  if (newest) keep(history::keep(context.here, *newest));
  newest = context.wire;
}

void Policy::settled(const nostr::WireEventPtr& wire, store::Outcome outcome, core::UnixSeconds now,
                     Transition& changes) {
  const auto synced = transaction().synced.extract(wire->event.id);
  const Origin origin = synced ? synced.mapped() : Origin{};
  apply_written(working(), wire, outcome, origin, now, changes);
}

void Policy::released(const nostr::WireEventPtr& event, store::Outcome outcome,
                      Transition& changes) {
  const auto here = store_.snapshot();
  if (!here) return core::log::error("cannot read the database: {}", store::describe(here.error()));
  grasp::released(working(), **here, event, outcome, changes);
}

std::vector<store::Note> Policy::notes_of_release(const nostr::Event& event) const {
  const auto here = store_.snapshot();
  if (!here) return {};
  return grasp::notes_of_release(current().state_, **here, event);
}

void Policy::use(AccessLists lists) {
  auto rules = std::make_shared<Rules>(working().rules());
  rules->use(std::move(lists));
  use_rules(std::move(rules));
}

void Policy::use_members(std::set<nostr::PublicKey> members, core::UnixSeconds now,
                         Transition& changes) {
  auto rules = std::make_shared<Rules>(working().rules());
  rules->use_members(std::move(members));
  use_rules(std::move(rules));
  PolicyState& state = working();
  for (const Coordinate& waiting : state.purgatory.announcements().keys())
    if (!state.rules().may_announce(waiting.owner))
      state.forget_announcement(waiting, now, changes);
}

void Policy::use_rules(std::shared_ptr<const Rules> rules) {
  PolicyState& state = working();
  const std::string before = state.rules().text();
  state.current_rules = rules;
  forget_other_rules(state, before, state.owed);
  if (before != rules->text()) state.rejections.orphans().call_all();
}

void Policy::expire(core::UnixSeconds now, Transition& changes) {
  const auto here = store_.snapshot();
  if (!here) return core::log::error("cannot read the database: {}", store::describe(here.error()));
  changes.append(std::exchange(working().owed, {}));
  sweep(working(), **here, now, changes);
}

void Policy::states_ended(const std::vector<Coordinate>& states, Transition& changes) {
  for (const Coordinate& key : states) working().forget_served_state(key, changes);
}

void Policy::await_again(const nostr::WireEventPtr& wire, core::UnixSeconds now,
                         Transition& changes) {
  const auto here = store_.snapshot();
  auto parsed = parse_state(wire->event);
  if (!here || !parsed) return;
  const auto outcome = (*here)->judge(*wire, now);
  if (!outcome || *outcome != store::Outcome::Stored) return;
  PolicyState& state = working();
  const Coordinate key{parsed->author, parsed->identifier};
  const nostr::Version version{parsed->created_at, parsed->id};
  const HeldState* held = state.purgatory.state(key);
  if (held && !nostr::wins(version, {held->state.created_at, held->state.id})) return;
  if (state.newest_states.is_past(key, version) ||
      state.catalog.repos_ruled_by(key.owner, key.identifier).empty())
    return;
  state.purgatory.hold_state({{wire, state.purgatory.deadline(now)}, *std::move(parsed)}, changes);
}

void Policy::give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                       Transition& changes) {
  PolicyState& state = working();
  const auto is_short = [&](const Held* held) { return held && held->expires <= soon; };
  for (const nostr::EventId& id : push.pulls)
    if (is_short(state.purgatory.pull(id))) state.purgatory.extend_pull(id, now, changes);
  if (!push.repo) return;
  if (is_short(state.purgatory.announcement(*push.repo)))
    state.purgatory.extend(*push.repo, now, changes);
  const Identifier& identifier = push.repo->identifier;
  const auto ruling = state.ruling(*push.repo);
  const HeldState* held = ruling ? state.purgatory.state(ruling->version.id, identifier) : nullptr;
  if (is_short(held)) state.purgatory.extend_state({held->state.author, identifier}, now, changes);
}

}  // namespace graspd::grasp
