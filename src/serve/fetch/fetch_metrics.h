// Shows the numbers of the hunt for git data.
#pragma once
#include "metrics/registry.h"
#include "serve/fetch/fetch_driver.h"

namespace graspd::serve {

void add_hunt_metrics(metrics::Registry& registry, const HuntDriver& hunt);

}  // namespace graspd::serve
