#include "load/bare_check.h"
#include "load/measure.h"
#include "load/scenario.h"

namespace graspd::load {

void run_bare(Bench& bench) {
  constexpr double kSeconds = 1;
  constexpr std::size_t kReadings = 5;
  const BareCheck check(bench.corpus(2'000));
  for (const std::size_t threads : {1, 2}) {
    std::vector<double> rates, costs;
    for (std::size_t i = 0; i < kReadings; ++i) {
      const BareRate rate = check.measure(threads, bench.options().quick ? kSeconds / 5 : kSeconds);
      rates.push_back(rate.checks_per_second);
      costs.push_back(rate.cpu_per_check * 1e6);
    }
    const std::string cores = threads == 1 ? "one core" : "two cores";
    bench.report().figure("checks, " + cores, median(rates), "1/s");
    bench.report().figure("CPU per check, " + cores, median(costs), "µs");
  }
}

}  // namespace graspd::load
