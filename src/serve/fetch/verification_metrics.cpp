#include "serve/fetch/verification_metrics.h"

#include "net/clock.h"

namespace graspd::serve {
namespace {

using grasp::VerificationMeter;
using grasp::VerificationTotals;
using metrics::Registry;

void add_gauges(Registry& registry, const Verifier& verifier) {
  const auto add = [&](std::string_view name, std::string_view help,
                       std::size_t VerificationTotals::* number) {
    registry.read_gauge(name, help, [&verifier, number] {
      return static_cast<double>(verifier.plan().totals().*number);
    });
  };
  add("ngit_git_synced_repositories", "Repositories whose refs are as the newest state declares",
      &VerificationTotals::synced);
  add("ngit_git_unsynced_repositories",
      "Repositories whose refs are not as the newest state declares",
      &VerificationTotals::unsynced);
  add("ngit_git_verified_repositories", "Repositories whose every object was found",
      &VerificationTotals::verified);
  add("ngit_git_unverified_repositories", "Repositories that are not verified yet",
      &VerificationTotals::unverified);
  add("ngit_git_broken_repositories", "Repositories that lack something, or cannot be read",
      &VerificationTotals::broken);
  add("ngit_git_incomplete_repositories",
      "Repositories that lack what their state declares: fetches are refused until it is back",
      &VerificationTotals::lacking);
  registry.read_gauge("ngit_git_verification_age_seconds",
                      "Time since the least recently verified repository was verified",
                      [&verifier] {
                        const auto oldest = verifier.plan().totals().oldest;
                        return oldest ? static_cast<double>(net::now().unix_seconds - *oldest) : 0;
                      });
}

// Which, why, and since when; those that are well are only counted.
void add_troubles(Registry& registry, const Verifier& verifier) {
  constexpr std::size_t kTroublesMax = 50;
  registry.read_gauges(
      "ngit_git_repository_in_trouble",
      "Repositories that are not synced or not verified: when they last were, 0 for never",
      [&verifier] {
        metrics::Samples samples;
        const auto add = [&](const grasp::Coordinate& coordinate, const char* what,
                             const std::string& why, std::optional<core::UnixSeconds> last) {
          if (!why.empty())
            samples.push_back({{{"repo", coordinate.path()}, {"not", what}, {"reason", why}},
                               static_cast<double>(last.value_or(0))});
        };
        for (const auto& [coordinate, health] : verifier.plan().troubles(kTroublesMax)) {
          add(coordinate, "synced", health.behind, health.synced_at);
          add(coordinate, "verified", health.problem, health.verified_at);
        }
        return samples;
      });
}

void add_counters(Registry& registry, const Verifier& verifier) {
  const auto add = [&](std::string_view name, std::string_view help, auto read,
                       const metrics::Labels& labels = {}) {
    registry.read_counter(
        name, help,
        [&verifier, read] { return static_cast<double>(read(verifier.plan().meter())); }, labels);
  };
  add("ngit_git_verifications_total", "Verifications of repositories, object by object",
      [](const VerificationMeter& meter) { return meter.looks; });
  add("ngit_git_verification_failures_total", "Verifications that found a problem",
      [](const VerificationMeter& meter) { return meter.failures; });
  add("ngit_git_checks_total", "Quick checks whether repositories have what their states declare",
      [](const VerificationMeter& meter) { return meter.checks; });
  add("ngit_git_losses_total", "Repositories that a quick check found to lack something",
      [](const VerificationMeter& meter) { return meter.losses; });
  add("ngit_git_repairs_total", "Broken repositories that were repaired",
      [](const VerificationMeter& meter) { return meter.repairs; });
  constexpr std::string_view kName = "ngit_git_comparisons_total";
  constexpr std::string_view kHelp = "Comparisons with what other servers serve";
  add(kName, kHelp,
      [](const VerificationMeter& meter) { return meter.comparisons - meter.differences; },
      {{"result", "same"}});
  add(kName, kHelp, [](const VerificationMeter& meter) { return meter.differences; },
      {{"result", "different"}});
  add(kName, kHelp, [](const VerificationMeter& meter) { return meter.silences; },
      {{"result", "no_answer"}});
}

}  // namespace

void add_verification_metrics(Registry& registry, const Verifier& verifier) {
  add_gauges(registry, verifier);
  add_troubles(registry, verifier);
  add_counters(registry, verifier);
}

}  // namespace graspd::serve
