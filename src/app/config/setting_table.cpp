#include "app/config/setting_table.h"

#include <fmt/format.h>
#include <vector>

#include "app/config/setting_archive.h"
#include "app/config/setting_groups.h"
#include "app/config/setting_private.h"
#include "core/check.h"

namespace graspd::app {
namespace {

using Rows = std::vector<Setting>;

Rows make_table() {
  Rows rows;
  add_identity(rows);
  add_network(rows);
  add_storage(rows);
  add_repositories(rows);
  add_private(rows);
  add_sync(rows);
  add_git_fetch(rows);
  add_limits(rows);
  add_strangers(rows);
  add_git_limits(rows);
  add_git_process(rows);
  add_threads(rows);
  add_observing(rows);
  add_testing(rows);
  return rows;
}

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::Identity:
      return "Identity";
    case Group::Network:
      return "Network";
    case Group::Storage:
      return "Storage";
    case Group::Repositories:
      return "Repositories";
    case Group::Private:
      return "Private service";
    case Group::Sync:
      return "Proactive sync";
    case Group::Limits:
      return "Limits (0: none)";
    case Group::Threads:
      return "Threads";
    case Group::Observing:
      return "Logs and metrics";
    case Group::Testing:
      return "Testing";
  }
  CHECK(false);
}

std::string Setting::variable() const { return fmt::format("NGIT_{}", name); }

std::string Setting::flag() const {
  if (secret) return {};
  std::string text = "--";
  for (const char c : name) {
    text += c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

std::span<const Setting> setting_table() {
  static const Rows kTable = make_table();
  return kTable;
}

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : setting_table()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

std::string default_of(const Setting& setting) {
  if (!setting.default_text.empty()) return std::string(setting.default_text);
  return setting.print(Settings());
}

std::optional<std::string> contradiction(const Settings& settings) {
  const net::ServerOptions& server = settings.server;
  const relay::Limits& limits = settings.limits;
  if (limits.message_bytes > 0 && limits.event_bytes > limits.message_bytes) {
    return fmt::format(
        "NGIT_RELAY_MAX_EVENT_SIZE_BYTES ({}) is above NGIT_MAX_MESSAGE_BYTES ({}): an event comes "
        "in one message; lower the first or raise the second",
        size_text(limits.event_bytes), size_text(limits.message_bytes));
  }
  if (server.ping_interval != kNever && server.ping_interval >= server.idle_timeout) {
    return "NGIT_PING_INTERVAL_SECS is not below NGIT_IDLE_TIMEOUT_SECS: quiet clients would be "
           "dropped before they are asked; lower the first or raise the second";
  }
  if (settings.test_listener_fd && !settings.test) {
    return "NGIT_TEST_LISTENER_FD is set without NGIT_TEST: it is for test suites only; set "
           "NGIT_TEST=1 or remove it";
  }
  if (auto both = private_contradiction(settings)) return both;
  return archive_contradiction(settings);
}

}  // namespace graspd::app
