#pragma once
#include "grasp/verdict.h"
#include "relay/acceptance.h"

namespace graspd::serve {

// Where an event comes from, as far as that matters to the policy.
inline grasp::Origin origin_of(const relay::Source& source) {
  grasp::Origin origin{source.intake == relay::Source::Intake::Sync, source.relay};
  const bool is_known = source.client != core::IpAddress();
  if (source.intake == relay::Source::Intake::Client && is_known) origin.client = source.client;
  return origin;
}

}  // namespace graspd::serve
