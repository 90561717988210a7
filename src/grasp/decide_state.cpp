// States (kind 30618). Rule numbers are those of grasp/policy.h.
#include <algorithm>

#include "grasp/decisions.h"
#include "grasp/purgatory_space.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

// Announcements that a state of their people gives more time; the nearest come first.
constexpr std::size_t kExtendedMax = 16;

}  // namespace

Verdict decide_state(const DecisionContext& context) {
  auto parsed = parse_state(context.event);
  if (!parsed) return Refuse{parsed.error(), Reason::Invalid};
  const RepoState& state = *parsed;
  if (!state.too_long.empty())
    return Refuse{"invalid: " + state.too_long + "; use a shorter one", Reason::Invalid};
  const Coordinate key{state.author, state.identifier};
  if (context.state.newest_states.is_past(key, {state.created_at, state.id})) return superseded();
  const HeldState* held = context.state.purgatory.state(key);
  if (held && held->state.id == state.id) {
    if (held->synced && !context.origin.synced)
      context.state.purgatory.claim(*held, context.now, context.changes);
    return Wait{"duplicate: in purgatory"};
  }
  if (held && !nostr::wins({state.created_at, state.id}, {held->state.created_at, held->state.id}))
    return superseded();

  if (!context.state.catalog.has_repos(state.identifier))
    return Refuse{"invalid: no announcement exists for this repository", Reason::Lacking};
  const auto ruled = context.state.catalog.repos_ruled_by(state.author, state.identifier);
  if (ruled.empty())
    return Refuse{"restricted: author not authorized for this repository", Reason::Lacking};
  const auto is_served = [&](const Coordinate& repo) {
    return context.state.catalog.find(repo)->place == Place::Served;
  };
  if (state.stops_tracking() && std::ranges::any_of(ruled, is_served)) return Take{};
  if (context.origin.synced && context.state.purgatory.expired().contains(state.id))
    return Refuse{std::string(kExpiredBefore), Reason::Abandoned};
  if (auto refusal = make_space(context, held)) return *refusal;
  context.state.purgatory.hold_state(
      {{context.wire, context.state.purgatory.deadline(context.now), false, context.origin.synced},
       *std::move(parsed)},
      context.changes);
  for (const Coordinate& repo : std::span(ruled).first(std::min(ruled.size(), kExtendedMax)))
    context.state.purgatory.extend(repo, context.now, context.changes);
  return LookForData{};
}

}  // namespace graspd::grasp
