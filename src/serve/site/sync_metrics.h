// What proactive sync counts, for Prometheus. Names are fixed: dashboards made for them exist.
//
//   R1  All numbers come from one report of sync; nothing is kept here.
//   R2  All series with a relay label disappear when the relay is no longer followed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "metrics/registry.h"
#include "sync/sync_report.h"

namespace graspd::serve {

using ReadSyncReport = std::function<std::shared_ptr<const sync::SyncReport>()>;

// `direct` counts the events newly stored that sync did not bring.
void add_sync_metrics(metrics::Registry& registry, const ReadSyncReport& report,
                      const std::function<std::uint64_t()>& direct);

}  // namespace graspd::serve
