// Finds the request that keeps an event out, and notes that it was used:
// grasp/deletion_requests.h R2.
//
//   R1  If several do, one is credited: one that was used before, then the one that came first,
//       then the lowest id.
#pragma once
#include "grasp/decisions.h"

namespace graspd::grasp {

// `outcome`: Deleted or Vanished; others change nothing.
void credit_request(const DecisionContext& context, store::Outcome outcome);

}  // namespace graspd::grasp
