// Decides what may wait in a full purgatory, and what is dropped (R9 of grasp/policy.h).
#pragma once
#include <optional>
#include <string>

#include "grasp/decisions.h"

namespace graspd::grasp {

// Makes space for the event of this decision, at the cost of others where that is fair. The refusal
// otherwise. `instead_of` goes when the event comes, if it is given.
std::optional<Refuse> make_space(const DecisionContext& context, const Held* instead_of);
// The same for the number of announcements.
std::optional<Refuse> make_place(const DecisionContext& context, const Coordinate& announcement,
                                 const std::string& source);
// What an announcement is held against: an address, a relay, or nothing.
std::string source_of(const DecisionContext& context);

}  // namespace graspd::grasp
