// The command line. The only user of CLI11.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "app/client/client_commands.h"
#include "app/config/config.h"
#include "app/config/config_commands.h"
#include "app/database/database_commands.h"
#include "app/sync_once/sync_command.h"

namespace graspd::app {

struct ServeOptions {};
struct CheckConfigOptions {};

using Command =
    std::variant<ServeOptions, ImportOptions, ExportOptions, CheckOptions, CompactOptions,
                 BackupOptions, ConfigOptions, CheckConfigOptions, KeyOptions, AnnounceOptions,
                 StateOptions, IssueOptions, PublishOptions, ReadOptions, StatusOptions,
                 SyncRetryOptions, SyncOptions, VerifyOptions, CredentialOptions>;

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

std::variant<Invocation, Answer> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace graspd::app
