#include "serve/git/git_metrics.h"

#include "serve/runtime/number_metrics.h"

namespace graspd::serve {
namespace {

using metrics::Registry;

void add_operations(Registry& registry, GitMeters& meters) {
  const std::vector<double> bounds{0.1, 0.5, 1, 2.5, 5, 10, 30, 60};
  std::vector<metrics::Histogram> durations;
  for (std::size_t i = 0; i < kGitOperations.size(); ++i) {
    const std::string operation(kGitOperations[i]);
    const auto& counted = meters.operations[i];
    add_counter(registry, "ngit_git_operations_total", "Git requests", counted.success,
                {{"operation", operation}, {"status", "success"}});
    add_counter(registry, "ngit_git_operations_total", "Git requests", counted.error,
                {{"operation", operation}, {"status", "error"}});
    durations.push_back(registry.histogram("ngit_git_operation_duration_seconds",
                                           "How long git requests took", bounds,
                                           {{"operation", operation}}));
  }
  meters.took = [durations](GitOperation operation, double seconds) {
    durations[static_cast<std::size_t>(operation)].observe(seconds);
  };
}

void add_traffic(Registry& registry, GitMeters& meters, std::size_t top_repositories) {
  add_counter(registry, "ngit_git_bytes_total", "Bytes of git requests and answers",
              meters.bytes_in, {{"direction", "in"}});
  add_counter(registry, "ngit_git_bytes_total", "Bytes of git requests and answers",
              meters.bytes_out, {{"direction", "out"}});
  add_counter(registry, "ngit_git_push_authorization_total", "Pushes decided",
              meters.pushes_allowed, {{"result", "allowed"}});
  add_counter(registry, "ngit_git_push_authorization_total", "Pushes decided", meters.pushes_denied,
              {{"result", "denied"}});
  add_counter(registry, "ngit_git_refused_busy_total",
              "Git requests rejected after waiting for a process", meters.refused_busy);
  add_counter(registry, "ngit_git_refused_strangers_total",
              "Git requests without a member's credential, on a private service",
              meters.refused_strangers);
  add_counter(registry, "ngit_git_refused_incomplete_total",
              "Fetches refused because data of the repository is lost", meters.refused_incomplete);
  registry.read_gauges("ngit_git_top_repos_bytes", "Repositories that sent most bytes", "repo",
                       [&meters, top_repositories] {
                         std::vector<std::pair<std::string, double>> top;
                         for (const auto& [name, bytes] : meters.busiest(top_repositories))
                           top.emplace_back(name, static_cast<double>(bytes));
                         return top;
                       });
}

void add_policy(Registry& registry, GraspHost& host) {
  const auto ask = [&](std::string_view name, std::string_view help, auto question) {
    registry.read_gauge(name, help, [&host, question] {
      return static_cast<double>(question(*host.hosting().known()));
    });
  };
  ask("ngit_repositories_total", "Repositories served",
      [](const grasp::PolicySnapshot& policy) { return policy.catalog().served_repos(); });
  ask("ngit_purgatory_events", "Events that wait for git data",
      [](const grasp::PolicySnapshot& policy) { return policy.purgatory().size(); });
  ask("ngit_purgatory_uploads", "Pushes that wait for their event",
      [](const grasp::PolicySnapshot& policy) {
        return policy.purgatory().uploads().tokens().size();
      });
  ask("ngit_waiting_room_events",
      "Rejected events that are decided again when their dependency arrives",
      [](const grasp::PolicySnapshot& policy) { return policy.orphan_pool().size(); });
}

}  // namespace

void add_pr_repository_metrics(Registry& registry, GraspHost& host) {
  const auto totals = [&host] { return host.hosting().pr_repositories.totals(); };
  registry.read_gauge("ngit_prs_repositories", "PR repositories below /prs",
                      [totals] { return static_cast<double>(totals().pr_repositories); });
  registry.read_gauge("ngit_prs_bytes", "Disk space used by PR repositories",
                      [totals] { return static_cast<double>(totals().bytes); });
  registry.read_gauge(
      "ngit_prs_bytes_max", "Disk space allowed for PR repositories; 0: no limit",
      [&host] { return static_cast<double>(host.hosting().pr_repositories.limits().bytes_max); });
}

void add_git_metrics(Registry& registry, GitServer& git, GraspHost& host,
                     std::size_t top_repositories) {
  add_operations(registry, git.meters());
  add_traffic(registry, git.meters(), top_repositories);
  registry.read_gauge("ngit_git_processes", "Git processes running for clients", [&git] {
    const auto taken = git.slots().taken() + git.advertisement_slots().taken();
    return static_cast<double>(taken);
  });
  registry.read_gauge("ngit_git_processes_waiting", "Git requests that wait for a process", [&git] {
    return static_cast<double>(git.slots().waiting() + git.advertisement_slots().waiting());
  });
  registry.read_gauge("ngit_git_memory_bytes", "Memory reserved for git processes", [&git] {
    return static_cast<double>(git.slots().memory() + git.advertisement_slots().memory());
  });
  add_counter(registry, "ngit_git_pull_request_refs_dropped_total",
              "Pull request refs removed because there were too many, or for lack of space",
              host.hosting().pull_refs.dropped);
  add_policy(registry, host);
}

}  // namespace graspd::serve
