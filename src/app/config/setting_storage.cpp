#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_storage(std::vector<Setting>& rows) {
  rows.push_back(
      common(choice("ACCEPT", Group::Storage, "grasp|open",
                    "Events to accept: those of repositories hosted here (grasp), or all (open)",
                    FIELD(acceptance))));
  rows.push_back(common(words("RELAY_DATA_PATH", Group::Storage, "path",
                              "Folder of the event database", FIELD(relay_data_path))));
  rows.push_back(common(words("GIT_DATA_PATH", Group::Storage, "path",
                              "Folder of the git repositories, stored as <npub>/<identifier>.git",
                              FIELD(git_data_path))));
  rows.push_back(choice("DATABASE_BACKEND", Group::Storage, "lmdb|memory",
                        "Where events are stored; memory loses them when the server stops",
                        FIELD(backend)));
  rows.push_back(boolean(
      "DATABASE_SYNC", Group::Storage,
      "Wait for the disk before answering OK; false may lose the last second in a power cut",
      FIELD(database_sync)));
}

}  // namespace graspd::app
