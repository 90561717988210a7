// What is counted about refused events that may still be wanted, for Prometheus.
#pragma once
#include "metrics/registry.h"

namespace graspd::serve {

class GraspHost;

void add_rejected_metrics(metrics::Registry& registry, GraspHost& host);

}  // namespace graspd::serve
