#include "serve/hunt_metrics.h"

namespace graspd::serve {
namespace {

using git::FetchFailure;
using git::hunt::Meter;
using metrics::Registry;

template <class Read>
void add_counter(Registry& registry, const HuntDriver& hunt, std::string_view name,
                 std::string_view help, Read read, const metrics::Labels& labels = {}) {
  registry.read_counter(
      name, help, [&hunt, read] { return static_cast<double>(read(hunt.meter())); }, labels);
}

void add_results(Registry& registry, const HuntDriver& hunt) {
  constexpr std::string_view kName = "ngit_git_fetch_results_total";
  constexpr std::string_view kHelp = "What became of git commands that asked other servers";
  add_counter(registry, hunt, kName, kHelp, [](const Meter& meter) { return meter.succeeded; },
              {{"result", "success"}});
  for (std::size_t i = 0; i < Meter::kFailures; ++i)
    add_counter(registry, hunt, kName, kHelp, [i](const Meter& meter) { return meter.failed[i]; },
                {{"result", std::string(git::name(static_cast<FetchFailure>(i)))}});
}

void add_commands(Registry& registry, const HuntDriver& hunt) {
  constexpr std::string_view kName = "ngit_git_fetch_commands_total";
  constexpr std::string_view kHelp = "Git commands that asked other servers";
  const auto add = [&](std::string_view kind, std::uint64_t Meter::* number) {
    add_counter(registry, hunt, kName, kHelp,
                [number](const Meter& meter) { return meter.*number; },
                {{"kind", std::string(kind)}});
  };
  add("advertisement", &Meter::advertisements);
  add("batch", &Meter::batches);
  add("single", &Meter::singles);
}

}  // namespace

void add_hunt_metrics(Registry& registry, const HuntDriver& hunt) {
  add_commands(registry, hunt);
  add_results(registry, hunt);
  add_counter(registry, hunt, "ngit_git_fetch_bytes_total", "Bytes of packs that were fetched",
              [](const Meter& meter) { return meter.bytes; });
  add_counter(registry, hunt, "ngit_git_fetch_satisfied_total", "Events whose git data is complete",
              [](const Meter& meter) { return meter.satisfied; });
  add_counter(registry, hunt, "ngit_git_fetch_refused_total",
              "Events whose git data is not looked for, because too many wait",
              [](const Meter& meter) { return meter.refused; });
  registry.read_gauge("ngit_git_fetch_running", "Git commands that ask other servers now",
                      [&hunt] { return static_cast<double>(hunt.load().running); });
  registry.read_gauge("ngit_git_fetch_repositories", "Repositories whose git data is looked for",
                      [&hunt] { return static_cast<double>(hunt.load().repositories); });
}

}  // namespace graspd::serve
