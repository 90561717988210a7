// Starts the real server and measures it from outside, over loopback. See bench/README.md.
#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "load/failure.h"
#include "load/machine.h"
#include "load/scenario.h"

namespace {

using namespace graspd::load;

// Whatever hangs, hangs no longer than this.
constexpr unsigned kRunSecondsMax = 3600;

// Ten thousand connections need as many files, here and in the server, which inherits the limit.
void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  rlimit wanted = limit;
  wanted.rlim_cur = wanted.rlim_max = std::max<rlim_t>(limit.rlim_max, 65'536);
  if (::setrlimit(RLIMIT_NOFILE, &wanted) == 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool is_wanted(const Options& options, std::string_view scenario) {
  return options.scenarios.empty() || std::find(options.scenarios.begin(), options.scenarios.end(),
                                                scenario) != options.scenarios.end();
}

void check_names(const Options& options) {
  for (const std::string& name : options.scenarios)
    if (std::none_of(kScenarios.begin(), kScenarios.end(),
                     [&](const Scenario& scenario) { return scenario.name == name; }))
      throw Failed("no such scenario: " + name);
}

// Figures taken in company are worth less: this says how much there was.
void report_company(Report& report, const Machine& before, const Machine& after) {
  const double seconds = after.core_seconds - before.core_seconds;
  const double others = (after.busy - before.busy) - (after.ours - before.ours);
  report.figure("cores taken by other programs", 100 * std::max(0.0, others) / seconds, "%");
}

bool run_all(Bench& bench) {
  bool complete = true;
  for (const Scenario& scenario : kScenarios) {
    if (!is_wanted(bench.options(), scenario.name)) continue;
    bench.report().begin(scenario.name);
    const Machine before = read_machine();
    try {
      scenario.run(bench);
    } catch (const Failed& failure) {
      fmt::print("  FAILED: {}\n", failure.what());
      complete = false;
    }
    report_company(bench.report(), before, read_machine());
  }
  bench.report().print_json();
  return complete;
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(kRunSecondsMax);
  raise_file_limit();
  try {
    const Options options = read_options(argc, argv);
    check_names(options);
    Bench bench(options);
    return run_all(bench) ? 0 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 2;
  }
}
