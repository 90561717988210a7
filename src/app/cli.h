// The command line. The only user of CLI11.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "app/commands/announce.h"
#include "app/commands/backup.h"
#include "app/commands/check.h"
#include "app/commands/compact.h"
#include "app/commands/config.h"
#include "app/commands/export.h"
#include "app/commands/import.h"
#include "app/commands/issue.h"
#include "app/commands/key.h"
#include "app/commands/publish.h"
#include "app/commands/read.h"
#include "app/commands/state.h"
#include "app/commands/status.h"
#include "app/commands/sync.h"
#include "app/commands/sync_retry.h"
#include "app/commands/verify.h"
#include "app/config.h"

namespace graspd::app {

struct ServeOptions {};
struct CheckConfigOptions {};

using Command =
    std::variant<ServeOptions, ImportOptions, ExportOptions, CheckOptions, CompactOptions,
                 BackupOptions, ConfigOptions, CheckConfigOptions, KeyOptions, AnnounceOptions,
                 StateOptions, IssueOptions, PublishOptions, ReadOptions, StatusOptions,
                 SyncRetryOptions, SyncOptions, VerifyOptions>;

struct Invocation {
  Command command;
  std::vector<std::pair<const Setting*, std::string>> flags;
  std::optional<std::string> config_path;
  std::vector<std::pair<const ForeignSetting*, std::string>> foreign_flags = {};
};

// Nothing is left to do but to say this: help, version, or what is wrong with the line.
struct Answer {
  int code = 0;
  std::string text;
};

inline constexpr int kUsageError = 2;

std::variant<Invocation, Answer> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace graspd::app
