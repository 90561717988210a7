#include "app/config/setting_prs.h"

#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_pr_repositories(std::vector<Setting>& rows) {
  rows.push_back(common(
      boolean("GRASP06_ENABLE", Group::Repositories,
              "Accept pull requests for repositories on other servers, below /prs (GRASP-06)",
              FIELD(host.policy.pr_repositories))));
  rows.push_back(size("GRASP06_MAX_REPOSITORY_BYTES", Group::Repositories,
                      "Disk space below /prs for one key and repository; 0: no limit",
                      FIELD(host.hosting.pr_repositories.pr_repository_bytes_max)));
  rows.push_back(size("GRASP06_MAX_BYTES", Group::Repositories,
                      "Disk space below /prs in total; 0: no limit",
                      FIELD(host.hosting.pr_repositories.bytes_max)));
}

}  // namespace graspd::app
