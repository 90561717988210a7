#include "app/cli.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/help.h"
#include "app/version.h"

namespace graspd::app {
namespace {

// Where CLI11 puts what it finds.
struct Line {
  CLI::App parser;
  std::vector<std::pair<const Setting*, CLI::Option*>> settings;
  bool help = false, version = false, check_config = false;
  std::string config_path;
  ImportOptions import_options;
  ExportOptions export_options;
  CheckOptions check_options;
  BackupOptions backup_options;
  ConfigOptions config_options;
};

void add_settings(Line& line) {
  for (const Setting& setting : setting_table()) {
    if (setting.secret) continue;
    CLI::Option* option = line.parser.add_option(setting.flag());
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->expected(setting.is_switch() ? 0 : 1, 1);  // --test alone means true
    line.settings.emplace_back(&setting, option);
  }
}

void add_commands(Line& line) {
  for (const CommandHelp& command : command_table()) {
    CLI::App* sub = line.parser.add_subcommand(std::string(command.name));
    sub->set_help_flag();
    sub->fallthrough();
    if (command.name == "import") sub->add_option("FILE", line.import_options.file);
    if (command.name == "export") {
      sub->add_option("FILE", line.export_options.file);
      sub->add_option("--filter", line.export_options.filter);
    }
    if (command.name == "check") sub->add_flag("--signatures", line.check_options.signatures);
    if (command.name == "backup") sub->add_option("DIRECTORY", line.backup_options.directory);
    if (command.name == "config") sub->add_flag("--markdown", line.config_options.markdown);
  }
  line.parser.require_subcommand(0, 1);
}

void add_options(Line& line) {
  line.parser.set_help_flag();
  line.parser.add_flag("-h,--help", line.help);
  line.parser.add_flag("-V,--version", line.version);
  line.parser.add_flag("--check-config", line.check_config);
  line.parser.add_option("--config", line.config_path);
}

Command command_of(const Line& line, std::string_view name) {
  if (line.check_config) return CheckConfigOptions{};
  if (name == "import") return line.import_options;
  if (name == "export") return line.export_options;
  if (name == "check") return line.check_options;
  if (name == "compact") return CompactOptions{};
  if (name == "backup") return line.backup_options;
  if (name == "config") return line.config_options;
  return ServeOptions{};
}

Answer usage_error(std::string_view what) {
  return {kUsageError, fmt::format("graspd: {}\nTry graspd --help.\n", what)};
}

std::variant<Invocation, Answer> understood(const Line& line) {
  const auto subcommands = line.parser.get_subcommands();
  const std::string name = subcommands.empty() ? std::string() : subcommands.front()->get_name();
  if (line.help) return Answer{0, name.empty() ? general_help() : command_help(name)};
  if (line.version) return Answer{0, fmt::format("graspd {}\n", kVersion)};
  if (name == "backup" && line.backup_options.directory.empty()) {
    return usage_error("backup needs a directory to write to");
  }
  Invocation invocation{command_of(line, name), {}, std::nullopt};
  for (const auto& [setting, option] : line.settings) {
    if (option->count() == 0) continue;
    auto value = option->as<std::string>();
    if (value.empty() && setting->is_switch()) value = "true";
    invocation.flags.emplace_back(setting, std::move(value));
  }
  if (!line.config_path.empty()) invocation.config_path = line.config_path;
  return invocation;
}

}  // namespace

std::variant<Invocation, Answer> parse_command_line(const std::vector<std::string>& arguments) {
  Line line;
  add_options(line);
  add_settings(line);
  add_commands(line);
  try {
    // CLI11 takes them last one first.
    line.parser.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  return understood(line);
}

}  // namespace graspd::app
