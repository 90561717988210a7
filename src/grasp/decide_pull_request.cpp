// Pull requests and their updates (kinds 1618 and 1619). Rule numbers are those of grasp/policy.h.
#include "grasp/decisions.h"
#include "grasp/purgatory_space.h"

namespace graspd::grasp {

Verdict decide_pull_request(const DecisionContext& context) {
  PullRequest pull = parse_pull_request(context.event);
  if (const HeldPull* held = context.state.purgatory.pull(pull.id)) {
    if (held->synced && !context.origin.synced)
      context.state.purgatory.claim(*held, context.now, context.changes);
    return Wait{"duplicate: in purgatory"};
  }
  if (!pull.has_c)
    return Refuse{"invalid: PR event " + pull.id.hex() + " has no 'c' tag", Reason::Invalid};
  if (context.rules.pr_repositories_of(pull).empty() &&
      !is_related(context.event, context.state.catalog, context.here, context.in_flight,
                  context.now))
    return Refuse{"restricted: PR event must reference an accepted repository or accepted event",
                  Reason::Lacking};
  if (context.origin.synced && context.state.purgatory.expired().contains(pull.id))
    return Refuse{std::string(kExpiredBefore), Reason::Abandoned};
  if (auto refusal = make_space(context, nullptr)) return *refusal;
  context.state.purgatory.hold_pull(
      {{context.wire, context.state.purgatory.deadline(context.now), false, context.origin.synced},
       std::move(pull)},
      context.changes);
  return LookForData{};
}

}  // namespace graspd::grasp
