#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_storage(std::vector<Setting>& rows) {
  rows.push_back(choice("ACCEPT", Group::Storage, "grasp|open",
                        "What is taken: what belongs to repositories hosted here, or everything",
                        FIELD(acceptance)));
  rows.push_back(words("RELAY_DATA_PATH", Group::Storage, "path", "Folder of the event database",
                       FIELD(relay_data_path)));
  rows.push_back(words("GIT_DATA_PATH", Group::Storage, "path",
                       "Folder of the repositories, as <npub>/<identifier>.git",
                       FIELD(git_data_path)));
  rows.push_back(choice("DATABASE_BACKEND", Group::Storage, "lmdb|memory",
                        "Where events live; memory forgets them at the end", FIELD(backend)));
  rows.push_back(boolean("DATABASE_SYNC", Group::Storage,
                         "Wait for the disk before saying OK; false risks the last seconds",
                         FIELD(database_sync)));
}

}  // namespace graspd::app
