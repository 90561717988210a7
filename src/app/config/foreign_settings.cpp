#include "app/config/foreign_settings.h"

#include <array>

#include "core/ascii.h"

namespace graspd::app {
namespace {

constexpr std::array kForeign{
    ForeignSetting{"HOLDING_CLEANUP_INTERVAL_SECS"},
    ForeignSetting{"BLACKLIST_AUTO_RESTORE", true},
    ForeignSetting{"STARTUP_INTEGRITY_IDENTIFIERS"},
    ForeignSetting{"SYNC_PLUS_ENABLED", true},
    ForeignSetting{"SYNC_PLUS_FALLBACK_RELAYS"},
    ForeignSetting{"USER_INDEX_RELAYS"},
    ForeignSetting{"SYNC_RECURSIVE_DESCENDANT_LIMIT"},
    ForeignSetting{"SYNC_DISCONNECT_CHECK_INTERVAL_SECS"},
    ForeignSetting{"SYNC_STARTUP_DELAY_SECS"},
    ForeignSetting{"SYNC_STARTUP_JITTER_MS"},
    ForeignSetting{"SYNC_RECONNECT_DELAY_SECS"},
    ForeignSetting{"SYNC_RECONNECT_LOOKBACK_DAYS"},
    // Other values could only do harm: relays refuse larger filters, and smaller ones cost more.
    ForeignSetting{.name = "SYNC_MAX_TAGS_PER_FILTER", .is_retired = true},
    ForeignSetting{.name = "SYNC_CONSOLIDATE_AT", .is_retired = true},
};

}  // namespace

std::string ForeignSetting::flag() const {
  std::string text = "--" + core::lowered(name);
  for (char& c : text)
    if (c == '_') c = '-';
  return text;
}

std::span<const ForeignSetting> foreign_settings() { return kForeign; }

const ForeignSetting* find_foreign_setting(std::string_view name) {
  for (const ForeignSetting& setting : kForeign)
    if (setting.name == name) return &setting;
  return nullptr;
}

}  // namespace graspd::app
