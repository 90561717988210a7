#include <fmt/format.h>

#include "load/bare_check.h"
#include "load/measure.h"
#include "load/publisher.h"
#include "load/scenario.h"

namespace graspd::load {
namespace {

struct Readings {
  std::vector<double> rate, rate_share, cpu, cpu_ratio, cpu_ratio_two, client_cpu, p50, p99;
  std::vector<double> duplicate_rate, duplicate_ratio, duplicate_cpu;
};

// The machine's speed wanders: the yardstick is read before and after each run.
struct Yardstick {
  BareRate one, two;
};
Yardstick read_yardstick(const BareCheck& check) {
  constexpr double kSeconds = 0.4;
  return {check.measure(1, kSeconds), check.measure(2, kSeconds)};
}
double mean(double a, double b) { return (a + b) / 2; }

void take(Readings& readings, const PublishRun& run, const Yardstick& before,
          const Yardstick& after) {
  const double bare_rate = mean(before.two.checks_per_second, after.two.checks_per_second);
  readings.rate.push_back(run.rate());
  readings.rate_share.push_back(run.rate() / bare_rate);
  readings.cpu.push_back(run.cpu_per_event() * 1e6);
  readings.cpu_ratio.push_back(run.cpu_per_event() /
                               mean(before.one.cpu_per_check, after.one.cpu_per_check));
  readings.cpu_ratio_two.push_back(run.cpu_per_event() /
                                   mean(before.two.cpu_per_check, after.two.cpu_per_check));
  readings.client_cpu.push_back(run.client_cpu / static_cast<double>(run.latencies.size()) * 1e6);
  readings.p50.push_back(quantile(run.latencies, 0.5) * 1e3);
  readings.p99.push_back(quantile(run.latencies, 0.99) * 1e3);
}

void repeat_once(Bench& bench, Publisher& publisher, const BareCheck& check,
                 std::size_t connections, Readings& readings) {
  const ScratchDirectory scratch;
  ServerProcess server(bench.options().server, scratch.path());
  const std::size_t window = bench.options().ingest_window;
  const Yardstick before = read_yardstick(check);
  const PublishRun fresh = publisher.run(server, connections, window);
  take(readings, fresh, before, read_yardstick(check));

  const PublishRun again = publisher.run(server, connections, window);
  readings.duplicate_rate.push_back(again.rate());
  readings.duplicate_ratio.push_back(again.rate() / fresh.rate());
  readings.duplicate_cpu.push_back(again.cpu_per_event() * 1e6);
}

void print(Report& report, std::size_t connections, const Readings& readings) {
  const std::string who = fmt::format("{} conn.: ", connections);
  report.figure(who + "new events", median(readings.rate), "1/s");
  report.figure(who + "rate / bare rate of two cores", median(readings.rate_share), "",
                at_least(0.5));
  report.figure(who + "server CPU per event", median(readings.cpu), "µs");
  report.figure(who + "server CPU / bare check on one core", median(readings.cpu_ratio), "",
                at_most(1.5));
  report.figure(who + "server CPU / bare check, both cores busy", median(readings.cpu_ratio_two),
                "");
  report.figure(who + "client CPU per event", median(readings.client_cpu), "µs");
  report.figure(who + "OK after, median", median(readings.p50), "ms");
  report.figure(who + "OK after, p99", median(readings.p99), "ms");
  report.figure(who + "duplicates", median(readings.duplicate_rate), "1/s");
  report.figure(who + "duplicates / new", median(readings.duplicate_ratio), "", at_least(4));
  report.figure(who + "server CPU per duplicate", median(readings.duplicate_cpu), "µs");
}

}  // namespace

void run_ingest(Bench& bench) {
  const Corpus& corpus = bench.corpus(bench.options().ingest_events);
  const BareCheck check(corpus);
  Publisher publisher(corpus, bench.options().ingest_events);
  for (const std::size_t connections : {1, 8}) {
    Readings readings;
    for (std::size_t i = 0; i < bench.options().repetitions; ++i)
      repeat_once(bench, publisher, check, connections, readings);
    print(bench.report(), connections, readings);
  }
}

}  // namespace graspd::load
