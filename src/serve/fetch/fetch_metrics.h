// Exports the numbers of git fetches.
#pragma once
#include "metrics/registry.h"
#include "serve/fetch/fetch_driver.h"

namespace graspd::serve {

void add_fetch_metrics(metrics::Registry& registry, const FetchDriver& fetch);

}  // namespace graspd::serve
