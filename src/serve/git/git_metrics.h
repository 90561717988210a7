// Exports the git host's numbers under the names that dashboards know (ngit_*).
#pragma once
#include "metrics/registry.h"
#include "serve/git/git_server.h"

namespace graspd::serve {

// None of these walks the disk.
void add_git_metrics(metrics::Registry& registry, GitServer& git, GraspHost& host,
                     std::size_t top_repositories);

// GRASP-06: only where it is switched on.
void add_pr_repository_metrics(metrics::Registry& registry, GraspHost& host);

}  // namespace graspd::serve
