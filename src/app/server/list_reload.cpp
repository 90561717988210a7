#include "app/server/list_reload.h"

#include <fmt/format.h>

#include "app/config/setting_lists.h"
#include "app/config/setting_table.h"
#include "core/counted.h"
#include "core/log.h"

namespace graspd::app {
namespace {

struct ListField {
  std::string_view name;
  AccessSetting Settings::* field;
  bool is_whitelist;
};
constexpr ListField kListFields[] = {
    {"NGIT_REPOSITORY_WHITELIST", &Settings::repository_whitelist, true},
    {"NGIT_REPOSITORY_BLACKLIST", &Settings::repository_blacklist, false},
    {"NGIT_EVENT_BLACKLIST", &Settings::event_blacklist, false},
    {"NGIT_ARCHIVE_WHITELIST", &Settings::archive_whitelist, true},
    {"NGIT_PRIVATE_MEMBERS", &Settings::private_members, false},
    {"NGIT_PRIVATE_MEMBERS_FILE", &Settings::private_members_file, false},
};

void log_lines(std::string_view lines) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    core::log::error("SIGHUP: the lists stay as they were: {}", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace

grasp::AccessLists access_lists(const Settings& settings) {
  return {settings.repository_whitelist.list, settings.repository_blacklist.list,
          settings.event_blacklist.list, settings.archive_whitelist.list};
}

ListReload take_lists(Settings& running, const Settings& read) {
  ListReload reload;
  for (const auto& [name, field, is_whitelist] : kListFields) {
    AccessSetting& old_list = running.*field;
    const AccessSetting& new_list = read.*field;
    if (is_whitelist && old_list.empty() != new_list.empty()) {
      reload.need_restart.emplace_back(name);
    } else if (old_list.list != new_list.list) {
      reload.changed.push_back(fmt::format("{}: {}, before {}", name,
                                           core::counted(new_list.list.size(), "entry", "entries"),
                                           old_list.list.size()));
      old_list = new_list;
    }
  }
  for (const Setting& setting : setting_table()) {
    if (!is_access_list(setting) && setting.print(running) != setting.print(read))
      reload.need_restart.push_back(setting.variable());
  }
  return reload;
}

std::optional<grasp::AccessLists> reload_lists(Settings& running, const ReadSettings& read) {
  const auto settings = read();
  if (!settings) {
    log_lines(settings.error());
    return std::nullopt;
  }
  const ListReload reload = take_lists(running, *settings);
  if (!reload.need_restart.empty())
    core::log::warn("SIGHUP: read again are lists only; restart the server to change {}",
                    fmt::join(reload.need_restart, ", "));
  if (reload.changed.empty()) {
    core::log::info("SIGHUP: the lists were read again, and are as they were");
    return std::nullopt;
  }
  core::log::info("SIGHUP: lists changed: {}", fmt::join(reload.changed, "; "));
  return access_lists(running);
}

}  // namespace graspd::app
