// How events are decided: one function per kind. Each is in its own file, which can be read from
// top to bottom. Policy calls them for events that the store would accept.
#pragma once
#include "grasp/policy_state.h"
#include "grasp/related.h"
#include "grasp/verdict.h"
#include "store/answer.h"

namespace graspd::grasp {

inline constexpr std::string_view kExpiredBefore =
    "invalid: previously expired from purgatory without git data";

// A newer version counts already: the answer is the store's.
inline Wait superseded() {
  return {std::string(store::answer_to(store::Outcome::Superseded).text), Reason::Superseded};
}

// What a decision is made from, and where it says what changes.
struct DecisionContext {
  const nostr::WireEventPtr& wire;
  const nostr::Event& event;
  const Origin& origin;
  core::UnixSeconds now;
  const store::Snapshot& here;
  const Rules& rules;
  const InFlight& in_flight;
  PolicyState& state;
  Transition& changes;
};

Verdict decide_announcement(const DecisionContext& context);
Verdict decide_state(const DecisionContext& context);
Verdict decide_pull_request(const DecisionContext& context);
Verdict decide_deletion(const DecisionContext& context);
Verdict decide_vanish(const DecisionContext& context);
Verdict decide_user_list(const DecisionContext& context);  // of GRASP servers, kind 10317
Verdict decide_person(const DecisionContext& context);     // profiles and relay lists
Verdict decide_other(const DecisionContext& context);
Verdict decide_ephemeral(const DecisionContext& context);

// A deletion or a request to vanish is stored.
void apply_deletion(PolicyState& state, const nostr::Event& request, core::UnixSeconds now,
                    Transition& changes);

}  // namespace graspd::grasp
