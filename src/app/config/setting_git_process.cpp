#include "app/config/setting_git_process.h"

#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_git_process(std::vector<Setting>& rows) {
  rows.push_back(
      size("GIT_MAX_MEMORY_BYTES", Group::Limits,
           "Memory of one git process; a history of ten million objects needs twice the default",
           FIELD(host.git_process.memory_bytes_max)));
  rows.push_back(size(
      "GIT_TOTAL_MEMORY_BYTES", Group::Limits,
      "Memory of all git processes together; requests wait for it; 0: half of the machine's memory",
      FIELD(git.memory.budget)));
  rows.push_back(number("GIT_MAX_CPU_SECS", Group::Limits, "Processor time of one git process",
                        FIELD(host.git_process.cpu_seconds_max)));
  rows.push_back(
      size("GIT_MAX_FILE_BYTES", Group::Limits,
           "Size of one file that git writes; repacking writes a whole repository into one",
           FIELD(host.git_process.file_bytes_max)));
  rows.push_back(number("GIT_MAX_OPEN_FILES", Group::Limits, "Open files per git process",
                        FIELD(host.git_process.files_max)));
}

}  // namespace graspd::app
