#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_strangers(std::vector<Setting>& rows) {
  rows.push_back(number("MAX_MAINTAINERS_PER_ANNOUNCEMENT", Group::Limits,
                        "Maintainers that one announcement may list",
                        FIELD(maintainers_per_announcement_max)));
  rows.push_back(number("MAX_REPOSITORY_MEMBERS", Group::Limits,
                        "Maintainers of one repository, by all announcements that list each other",
                        FIELD(repository_members_max)));
  rows.push_back(number("MAX_INDEXED_VALUES", Group::Limits,
                        "Tag values of one event that filters can ask for",
                        FIELD(limits.indexed_values)));
  rows.push_back(size("MAX_STRANGER_REQUEST_BYTES", Group::Limits,
                      "Deletions and requests to vanish that concern nothing here, all together",
                      FIELD(stranger_request_bytes_max)));
  rows.push_back(size("MAX_STRANGER_REQUEST_BYTES_PER_KEY", Group::Limits, "The same for one key",
                      FIELD(stranger_request_bytes_per_key_max)));
  rows.push_back(size("MAX_STRANGER_LIST_BYTES", Group::Limits,
                      "Lists of GRASP servers (10317) of people who take no part here",
                      FIELD(stranger_list_bytes_max)));
  rows.push_back(number("STRANGER_EPHEMERALS_PER_MINUTE", Group::Limits,
                        "Ephemeral events of such people from one address; 0: none are passed on",
                        FIELD(stranger_ephemerals_per_minute)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS", Group::Limits,
                        "Announcements that wait for git data; 0: any number",
                        FIELD(strangers.waiting_announcements_max)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS_PER_IP", Group::Limits,
                        "The same from one address; 0: any number",
                        FIELD(strangers.waiting_announcements_per_ip_max)));
  rows.push_back(number("MAX_WAITING_ANNOUNCEMENTS_PER_RELAY", Group::Limits,
                        "The same from one relay that they are synced from; 0: any number",
                        FIELD(strangers.waiting_announcements_per_relay_max)));
  rows.push_back(number("MAX_PULL_REQUEST_REFS", Group::Limits,
                        "Pull requests of people without a say in a repository that have a ref in "
                        "it; the oldest lose theirs; 0: any number",
                        FIELD(strangers.pull_refs_max)));
  rows.push_back(number("PULL_REQUEST_QUOTA_PERCENT", Group::Limits,
                        "Share of MAX_REPOSITORY_BYTES for pull requests of people without a say "
                        "in the repository",
                        FIELD(strangers.pull_quota_percent), 0, 100));
}

}  // namespace graspd::app
