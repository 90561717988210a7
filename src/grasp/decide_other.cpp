// Events of all other kinds: what belongs to a repository here, and to people who take part.
// Rule numbers are those of grasp/policy.h.
#include <fmt/format.h>

#include "grasp/decisions.h"
#include "grasp/strangers.h"

namespace graspd::grasp {
namespace {

constexpr std::size_t kStrangersBytesMax = 16 * 1024;

std::optional<Refuse> too_large_for_a_stranger(const DecisionContext& context) {
  const std::size_t bytes = context.wire->json.size();
  if (bytes <= kStrangersBytesMax) return std::nullopt;
  return Refuse{fmt::format("blocked: event size ({} bytes) exceeds the {} bytes that people who "
                            "take no part in a repository here may use",
                            bytes, kStrangersBytesMax),
                Reason::Unwelcome};
}

}  // namespace

// Profiles and relay lists are of use where their author takes part.
Verdict decide_person(const DecisionContext& context) {
  if (!is_stranger(context)) return Take{};
  return Refuse{
      fmt::format("restricted: Kind {} author must participate in an accepted repository thread",
                  context.event.kind.value),
      Reason::Lacking};
}

Verdict decide_other(const DecisionContext& context) {
  if (is_related(context.event, context.state.catalog, context.here, context.in_flight,
                 context.now))
    return Take{};
  return Refuse{"restricted: Event must reference an accepted repository or accepted event",
                Reason::Lacking};
}

// R14
Verdict decide_user_list(const DecisionContext& context) {
  const nostr::PublicKey& who = context.event.pubkey;
  const bool is_strangers = is_stranger(context);
  if (is_strangers)
    if (auto refusal = too_large_for_a_stranger(context)) return *std::move(refusal);
  for (const nostr::EventId& older : context.state.stranger_lists.of(who))
    context.state.stranger_lists.erase(older, context.changes);
  if (is_strangers) keep_in(context.state.stranger_lists, context);
  return Take{};
}

// R15
Verdict decide_ephemeral(const DecisionContext& context) {
  const bool is_ours = context.state.is_at_home(context.event.pubkey) ||
                       is_related(context.event, context.state.catalog, context.here,
                                  context.in_flight, context.now) ||
                       takes_part(context.event.pubkey, context.here, context.now);
  if (is_ours) return Take{};
  if (auto refusal = too_large_for_a_stranger(context)) return *std::move(refusal);
  return Take{.of_stranger = true};
}

}  // namespace graspd::grasp
