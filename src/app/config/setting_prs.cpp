#include "app/config/setting_prs.h"

#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_trays(std::vector<Setting>& rows) {
  rows.push_back(boolean("GRASP06_ENABLE", Group::Repositories,
                         "Take pull requests for repositories of other servers, below /prs",
                         FIELD(trays_enabled)));
  rows.push_back(size("GRASP06_MAX_REPOSITORY_BYTES", Group::Repositories,
                      "What one key's pull requests for one repository take there; 0: no limit",
                      FIELD(tray_bytes_max)));
  rows.push_back(size("GRASP06_MAX_BYTES", Group::Repositories,
                      "What all pull requests there take; 0: no limit", FIELD(all_tray_bytes_max)));
}

}  // namespace graspd::app
