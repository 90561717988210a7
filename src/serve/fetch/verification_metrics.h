// Exports the state of the hosted git data.
#pragma once
#include "metrics/registry.h"
#include "serve/fetch/verifier.h"

namespace graspd::serve {

void add_verification_metrics(metrics::Registry& registry, const Verifier& verifier);

}  // namespace graspd::serve
