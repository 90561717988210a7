#include "serve/host/rejected_metrics.h"

#include <string>

#include "grasp/policy.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {

using metrics::Labels;
using metrics::Registry;
using metrics::Samples;

void add_rejected_metrics(Registry& registry, GraspHost& host) {
  const auto read = [&host](grasp::PerType grasp::RejectedMeter::* numbers) {
    return [&host, numbers] {
      const auto meter = host.hosting().known()->rejected_meter();
      Samples samples;
      for (std::size_t type = 0; type < grasp::kEventTypes.size(); ++type)
        samples.emplace_back(Labels{{"event_type", std::string(grasp::kEventTypes[type])}},
                             static_cast<double>((meter.*numbers)[type]));
      return samples;
    };
  };
  using Meter = grasp::RejectedMeter;
  registry.read_gauges("ngit_sync_rejected_hot_cache_current", "Refused events kept whole",
                       read(&Meter::hot_current));
  registry.read_gauges("ngit_sync_rejected_cold_index_current", "Refused events known by id",
                       read(&Meter::cold_current));
  const auto counter = [&](const char* name, const char* help, grasp::PerType Meter::* numbers) {
    registry.read_counters(name, help, read(numbers));
  };
  counter("ngit_sync_rejected_hot_cache_hits_total",
          "Refused events that were here when what they lacked came", &Meter::hot_hits);
  counter("ngit_sync_rejected_hot_cache_misses_total",
          "Refused events that were known by id only when what they lacked came",
          &Meter::hot_misses);
  counter("ngit_sync_rejected_hot_cache_expired_total", "Refused events no longer kept whole",
          &Meter::hot_expired);
  counter("ngit_sync_rejected_cold_index_expired_total", "Refused events no longer known",
          &Meter::cold_expired);
  counter("ngit_sync_rejected_invalidated_total",
          "Refused events forgotten because what they lacked came", &Meter::invalidated);
}

}  // namespace graspd::serve
