// Lists that are read again while the server runs.
//
//   R1  All is read and judged as at a start. If anything is wrong, nothing changes, and the log
//       says what.
//   R2  Only the lists are taken. Other settings that differ are named: they need a restart. So
//       does a whitelist that comes or goes, since that changes what kind of service this is.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/config/settings.h"
#include "core/result.h"
#include "grasp/policy.h"

namespace graspd::app {

// Settings from where they came from at the start; the failure is one sentence a line.
using ReadSettings = std::function<core::Result<Settings, std::string>()>;

grasp::AccessLists access_lists(const Settings& settings);

struct ListReload {
  std::vector<std::string> changed;       // "NGIT_EVENT_BLACKLIST: 3 entries instead of 2"
  std::vector<std::string> need_restart;  // names
};
// Takes the lists over into `running`: R2.
ListReload take_lists(Settings& running, const Settings& read);

// Reads, takes over and tells in the log; nothing: R1, or nothing changed.
std::optional<grasp::AccessLists> reload_lists(Settings& running, const ReadSettings& read);

}  // namespace graspd::app
