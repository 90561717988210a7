#include "serve/fetch/fetch_metrics.h"

#include <array>
#include <numeric>
#include <tuple>

namespace graspd::serve {
namespace {

using git::FetchFailure;
using git::fetch::Meter;
using metrics::Registry;

template <class Read>
void add_counter(Registry& registry, const FetchDriver& fetch, std::string_view name,
                 std::string_view help, Read read, const metrics::Labels& labels = {}) {
  registry.read_counter(
      name, help, [&fetch, read] { return static_cast<double>(read(fetch.plan().meter())); },
      labels);
}

void add_results(Registry& registry, const FetchDriver& fetch) {
  constexpr std::string_view kName = "ngit_git_fetch_results_total";
  constexpr std::string_view kHelp = "Results of git commands to other servers";
  add_counter(registry, fetch, kName, kHelp, [](const Meter& meter) { return meter.succeeded; },
              {{"result", "success"}});
  for (std::size_t i = 0; i < Meter::kFailures; ++i)
    add_counter(registry, fetch, kName, kHelp, [i](const Meter& meter) { return meter.failed[i]; },
                {{"result", std::string(git::name(static_cast<FetchFailure>(i)))}});
}

void add_commands(Registry& registry, const FetchDriver& fetch) {
  constexpr std::string_view kName = "ngit_git_fetch_commands_total";
  constexpr std::string_view kHelp = "Git commands to other servers";
  const auto add = [&](std::string_view kind, std::uint64_t Meter::* number) {
    add_counter(registry, fetch, kName, kHelp,
                [number](const Meter& meter) { return meter.*number; },
                {{"kind", std::string(kind)}});
  };
  add("advertisement", &Meter::advertisements);
  add("batch", &Meter::batches);
  add("single", &Meter::singles);
}

// The same facts under the names that dashboards of ngit-grasp know.
void add_subprocesses(Registry& registry, const FetchDriver& fetch, const std::string& operation,
                      Meter::Ends Meter::* ends, std::uint64_t (*begun)(const Meter&)) {
  constexpr std::array kEnds{"success", "failure", "cancelled", "stalled", "rate_limited"};
  static_assert(kEnds.size() == std::tuple_size_v<Meter::Ends>);
  for (std::size_t i = 0; i < kEnds.size(); ++i)
    add_counter(registry, fetch, "ngit_purgatory_git_subprocess_total",
                "Git commands to other servers, by result",
                [ends, i](const Meter& meter) { return (meter.*ends)[i]; },
                {{"operation", operation}, {"role", "primary"}, {"outcome", kEnds[i]}});
  registry.read_gauge(
      "ngit_purgatory_git_subprocess_active", "Git commands to other servers that run now",
      [&fetch, ends, begun] {
        const Meter meter = fetch.plan().meter();
        const auto ended = std::accumulate((meter.*ends).begin(), (meter.*ends).end(), 0ULL);
        return static_cast<double>(begun(meter) - ended);
      },
      {{"operation", operation}, {"role", "primary"}});
}

void add_reference_names(Registry& registry, const FetchDriver& fetch) {
  add_subprocesses(registry, fetch, "ls_remote", &Meter::advertisement_ends,
                   [](const Meter& meter) { return meter.advertisements; });
  add_subprocesses(registry, fetch, "fetch", &Meter::fetch_ends,
                   [](const Meter& meter) { return meter.batches + meter.singles; });
  add_counter(registry, fetch, "ngit_purgatory_git_subprocess_output_bytes_total",
              "Bytes of packs that were fetched", [](const Meter& meter) { return meter.bytes; },
              {{"operation", "fetch"}, {"role", "primary"}, {"stream", "stdout"}});
  add_counter(registry, fetch, "ngit_purgatory_git_fetch_passes_total",
              "Rounds through all sources of a repository",
              [](const Meter& meter) { return meter.passes; });
  add_counter(registry, fetch, "ngit_purgatory_git_fetch_oids_total",
              "Requested objects that arrived", [](const Meter& meter) { return meter.oids; },
              {{"kind", "fetched"}});
}

}  // namespace

void add_fetch_metrics(Registry& registry, const FetchDriver& fetch) {
  add_commands(registry, fetch);
  add_reference_names(registry, fetch);
  add_results(registry, fetch);
  add_counter(registry, fetch, "ngit_git_fetch_bytes_total", "Bytes of packs that were fetched",
              [](const Meter& meter) { return meter.bytes; });
  add_counter(registry, fetch, "ngit_git_fetch_satisfied_total",
              "Events whose git data is complete",
              [](const Meter& meter) { return meter.satisfied; });
  add_counter(registry, fetch, "ngit_git_fetch_refused_total",
              "Events whose git data is not fetched because too many wait",
              [](const Meter& meter) { return meter.refused; });
  registry.read_gauge("ngit_git_fetch_running", "Git commands to other servers that run now",
                      [&fetch] { return static_cast<double>(fetch.plan().load().running); });
  registry.read_gauge("ngit_git_fetch_repositories", "Repositories whose git data is being fetched",
                      [&fetch] { return static_cast<double>(fetch.plan().load().repositories); });
}

}  // namespace graspd::serve
