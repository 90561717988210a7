// Shows the relay's numbers under the names dashboards know (ngit_*).
#pragma once
#include <string_view>

#include "metrics/registry.h"
#include "net/server.h"
#include "serve/relay/relay_server.h"

namespace graspd::serve {

void add_relay_metrics(metrics::Registry& registry, const RelayServer& relay);
void add_build_metrics(metrics::Registry& registry, std::string_view version);

}  // namespace graspd::serve
