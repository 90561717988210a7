#include <fmt/format.h>

#include "app/config/setting_archive.h"
#include "app/config/setting_groups.h"
#include "app/config/setting_lists.h"
#include "app/config/setting_row.h"
#include "git/ref_name.h"

namespace graspd::app {
namespace {

using namespace row;

constexpr std::string_view kBranches = "refs/heads/";

Setting unborn_branch() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    auto branch = git::RefName::parse(fmt::format("{}{}", kBranches, text));
    if (!branch) return Complaint{"is not a branch name", "write one such as master or main"};
    settings.host.hosting.unborn_branch = *std::move(branch);
    return std::nullopt;
  };
  const auto print = [](const Settings& settings) {
    return settings.host.hosting.unborn_branch.text().substr(kBranches.size());
  };
  return {"UNBORN_BRANCH", Group::Repositories,
          "branch",        "Branch that HEAD points to in a repository without data",
          parse,           print};
}

// GRASP-06
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

// What is deleted, and the requests to delete it.
void add_lifecycle(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Repositories;
  rows.push_back(seconds("HOLDING_RETENTION_SECS", kGroup,
                         "How long to keep the data and threads of a repository that was deleted, "
                         "has expired or has no state any more",
                         FIELD(host.policy.removal_grace), Zero::MeansAtOnce));
  rows.push_back(seconds("DELETED_REPOSITORY_GRACE_SECS", kGroup,
                         "Earlier name of HOLDING_RETENTION_SECS", FIELD(host.policy.removal_grace),
                         Zero::MeansAtOnce));
  rows.push_back(boolean("DELETION_REQUEST_DISRESPECTOR", kGroup,
                         "Store deletions and requests to vanish, and ignore them",
                         FIELD(host.policy.ignores_requests)));
  rows.push_back(seconds("DELETION_REQUEST_RETENTION_UNUSED_SERVED_SECS", kGroup,
                         "How long to serve a deletion request that kept nothing out",
                         FIELD(host.policy.requests.unused_served), Zero::MeansAtOnce));
  rows.push_back(seconds("DELETION_REQUEST_RETENTION_UNUSED_UNSERVED_GATING_ADDITIONAL_SECS",
                         kGroup, "How long to obey it after that, before it is forgotten",
                         FIELD(host.policy.requests.unused_remembered), Zero::MeansAtOnce));
  rows.push_back(seconds("DELETION_REQUEST_RETENTION_USED_SERVED_AFTER_LAST_USED_SECS", kGroup,
                         "How long to serve a deletion request after it last kept an event out",
                         FIELD(host.policy.requests.used_served), Zero::MeansAtOnce));
  rows.push_back(seconds("DELETION_REQUEST_RETENTION_USED_UNSERVED_GATING_ADDITIONAL_SECS", kGroup,
                         "How long to obey it after that, before it is forgotten",
                         FIELD(host.policy.requests.used_remembered), Zero::MeansAtOnce));
}

}  // namespace

void add_repositories(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Repositories;
  add_access_lists(rows);
  add_archive(rows);
  add_pr_repositories(rows);
  rows.push_back(choice(
      "MAINTAINERSHIP", kGroup, "compatible|reciprocal",
      "Whether keys in a maintainers tag are members at once, or only if they list a member back",
      FIELD(host.policy.membership)));
  rows.push_back(boolean("STRICT_CLONE_URLS", kGroup,
                         "Require that clone URLs on this server also name the repository",
                         FIELD(host.policy.service.clone_path_must_name_repository)));
  rows.push_back(unborn_branch());
  rows.push_back(seconds("PURGATORY_EXPIRY_SECS", kGroup,
                         "How long an event waits for its git data",
                         FIELD(host.policy.purgatory.patience), Zero::MeansAtOnce));
  rows.push_back(seconds("UNSIGNED_UPLOAD_EXPIRY_SECS", kGroup,
                         "How long git data pushed to refs/nostr waits for its event",
                         FIELD(host.policy.purgatory.upload_patience), Zero::MeansAtOnce));
  add_lifecycle(rows);
}

}  // namespace graspd::app
