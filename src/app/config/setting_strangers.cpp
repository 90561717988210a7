#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_strangers(std::vector<Setting>& rows) {
  rows.push_back(number("MAX_MAINTAINERS_PER_ANNOUNCEMENT", Group::Limits,
                        "Maintainers listed in one announcement", FIELD(host.policy.listed_max)));
  rows.push_back(
      number("MAX_REPOSITORY_MEMBERS", Group::Limits,
             "Maintainers of one repository, over all announcements that list each other",
             FIELD(host.policy.members_max)));
  rows.push_back(number("MAX_INDEXED_VALUES", Group::Limits, "Indexed tag values per event",
                        FIELD(limits.indexed_values)));
  rows.push_back(size("MAX_STRANGER_REQUEST_BYTES", Group::Limits,
                      "Total size of deletions and requests to vanish that concern nothing here",
                      FIELD(host.policy.stranger_requests.bytes_max)));
  rows.push_back(size("MAX_STRANGER_REQUEST_BYTES_PER_KEY", Group::Limits, "The same from one key",
                      FIELD(host.policy.stranger_requests.bytes_per_key)));
  rows.push_back(
      size("MAX_STRANGER_LIST_BYTES", Group::Limits,
           "Total size of GRASP server lists (kind 10317) by people who take no part here",
           FIELD(host.policy.stranger_lists.bytes_max)));
  rows.push_back(number(
      "STRANGER_EPHEMERALS_PER_MINUTE", Group::Limits,
      "Ephemeral events per minute from one address by people who take no part here; 0: reject all",
      FIELD(host.stranger_ephemerals_per_minute)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS", Group::Limits,
                        "Announcements that wait for git data; 0: no limit",
                        FIELD(host.policy.purgatory.announcements_max)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS_PER_IP", Group::Limits,
                        "The same from one address; 0: no limit",
                        FIELD(host.policy.purgatory.announcements_per_address_max)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS_PER_RELAY", Group::Limits,
                        "The same from one relay, by sync; 0: no limit",
                        FIELD(host.policy.purgatory.announcements_per_relay_max)));
  rows.push_back(number("MAX_PULL_REQUEST_REFS", Group::Limits,
                        "Contributors' pull requests with a ref in one repository; beyond that the "
                        "oldest lose their ref; 0: no limit",
                        FIELD(host.hosting.pull_refs_max)));
  rows.push_back(number("PULL_REQUEST_QUOTA_PERCENT", Group::Limits,
                        "Share of MAX_REPOSITORY_BYTES for contributors' pull requests",
                        FIELD(host.hosting.pull_quota_percent), 0, 100));
}

}  // namespace graspd::app
