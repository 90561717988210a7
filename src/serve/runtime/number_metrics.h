// Exports a Number of a meter as a metric, which is read when /metrics is requested.
#pragma once
#include <string_view>

#include "metrics/registry.h"
#include "serve/runtime/number.h"

namespace graspd::serve {

inline void add_counter(metrics::Registry& registry, std::string_view name, std::string_view help,
                        const Number& number, const metrics::Labels& labels = {}) {
  registry.read_counter(
      name, help, [&number] { return static_cast<double>(number.value()); }, labels);
}

inline void add_gauge(metrics::Registry& registry, std::string_view name, std::string_view help,
                      const Number& number) {
  registry.read_gauge(name, help, [&number] { return static_cast<double>(number.value()); });
}

}  // namespace graspd::serve
