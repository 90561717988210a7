#include "app/cli.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/base/exit_code.h"
#include "app/base/version.h"
#include "app/help.h"

namespace graspd::app {
namespace {

// Where CLI11 puts what it finds.
struct Line {
  CLI::App parser;
  std::vector<std::pair<const Setting*, CLI::Option*>> settings;
  std::vector<std::pair<const ForeignSetting*, CLI::Option*>> foreign_settings;
  bool help = false, help_all = false, version = false, check_config = false,
       listener_support = false;
  std::string config_path;
  ImportOptions import_options;
  ExportOptions export_options;
  CheckOptions check_options;
  BackupOptions backup_options;
  ConfigOptions config_options;
  KeyOptions key_options;
  AnnounceOptions announce_options;
  StateOptions state_options;
  IssueOptions issue_options;
  PublishOptions publish_options;
  ReadOptions read_options;
  StatusOptions status_options;
  CLI::App* sync_retry = nullptr;
  SyncRetryOptions sync_retry_options;
  SyncOptions sync_options;
  VerifyOptions verify_options;
  CredentialOptions credential_options;
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

void add_foreign_settings(Line& line) {
  for (const ForeignSetting& setting : foreign_settings()) {
    CLI::Option* option = line.parser.add_option(setting.flag());
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->expected(setting.is_switch ? 0 : 1, 1);
    line.foreign_settings.emplace_back(&setting, option);
  }
}

// One value each time it is given: what follows may be something else.
void add_list(CLI::App& sub, const std::string& flag, std::vector<std::string>& values) {
  sub.add_option(flag, values)->allow_extra_args(false);
}

void add_client(CLI::App& sub, ClientOptions& options) {
  sub.add_option("--relay", options.relay);
  sub.add_option("--key-file", options.key_file);
}

void add_announce(CLI::App& sub, AnnounceOptions& options) {
  add_client(sub, options.client);
  sub.add_option("IDENTIFIER", options.identifier);
  sub.add_option("--name", options.name);
  sub.add_option("--description", options.description);
  sub.add_option("--euc", options.earliest_unique_commit);
  add_list(sub, "--clone", options.clone);
  add_list(sub, "--relays", options.relays);
  add_list(sub, "--web", options.web);
  add_list(sub, "--topic", options.topics);
  add_list(sub, "--maintainer", options.maintainers);
}

void add_state(CLI::App& sub, StateOptions& options) {
  add_client(sub, options.client);
  sub.add_option("IDENTIFIER", options.identifier);
  sub.add_option("--repository", options.repository);
  sub.add_flag("--no-tags", options.no_tags);
  add_list(sub, "--branch", options.branches);
}

void add_issue(CLI::App& sub, IssueOptions& options) {
  add_client(sub, options.client);
  sub.add_option("REPOSITORY", options.repository);
  sub.add_option("TEXT", options.text);
  sub.add_option("--subject", options.subject);
  add_list(sub, "--label", options.labels);
}

void add_client_command(Line& line, CLI::App& sub, std::string_view name) {
  if (name == "key") {
    sub.add_option("--file,--key-file", line.key_options.key_file);
    sub.add_flag("--new", line.key_options.make_new);
    sub.add_flag("--show-secret", line.key_options.show_secret);
  }
  if (name == "credential") {
    sub.add_option("ACTION", line.credential_options.action);
    sub.add_option("--key-file", line.credential_options.key_file);
  }
  if (name == "announce") add_announce(sub, line.announce_options);
  if (name == "state") add_state(sub, line.state_options);
  if (name == "issue") add_issue(sub, line.issue_options);
  if (name == "publish") {
    add_client(sub, line.publish_options.client);
    sub.add_flag("--sign", line.publish_options.sign);
  }
  if (name == "read") {
    add_client(sub, line.read_options.client);
    sub.add_option("FILTER", line.read_options.filter);
    sub.add_option("--limit", line.read_options.limit);
    sub.add_flag("--follow", line.read_options.follow);
  }
}

void add_sync(Line& line, CLI::App& sub) {
  sub.add_option("URL", line.sync_options.url);
  add_list(sub, "--filter", line.sync_options.filters);
  sub.add_flag("--down", line.sync_options.down);
  sub.add_flag("--up", line.sync_options.up);
  sub.add_flag("--both", line.sync_options.both);
  sub.add_flag("--dry-run", line.sync_options.dry_run);
  sub.add_flag("--json", line.sync_options.json);
  sub.add_option("--inactivity-limit", line.sync_options.inactivity_limit);
  line.sync_retry = sub.add_subcommand("retry");
  line.sync_retry->set_help_flag();
  line.sync_retry->fallthrough();
  line.sync_retry->add_option("RELAY", line.sync_retry_options.relay);
  line.sync_retry->add_option("--url", line.sync_retry_options.url);
}

void add_import(CLI::App& sub, ImportOptions& options) {
  sub.add_option("FILE", options.file);
  sub.add_option("--from-ngit", options.from_ngit)->expected(2);
  sub.add_flag("--commit", options.commit);
}

void add_commands(Line& line) {
  for (const CommandHelp& command : command_table()) {
    CLI::App* sub = line.parser.add_subcommand(std::string(command.name));
    sub->set_help_flag();
    sub->fallthrough();
    if (command.name == "import") add_import(*sub, line.import_options);
    if (command.name == "export") {
      sub->add_option("FILE", line.export_options.file);
      sub->add_option("--filter", line.export_options.filter);
    }
    if (command.name == "check") sub->add_flag("--signatures", line.check_options.signatures);
    if (command.name == "backup") {
      sub->add_option("DIRECTORY", line.backup_options.directory);
      sub->add_flag("--replace", line.backup_options.replace);
    }
    if (command.name == "config") sub->add_flag("--markdown", line.config_options.markdown);
    if (command.name == "status") {
      sub->add_option("--url", line.status_options.url);
      sub->add_flag("--json", line.status_options.json);
      sub->add_flag("--health", line.status_options.health);
    }
    if (command.name == "sync") add_sync(line, *sub);
    if (command.name == "verify") {
      sub->add_option("REPOSITORY", line.verify_options.repository);
      sub->add_option("--url", line.verify_options.url);
    }
    add_client_command(line, *sub, command.name);
  }
  line.parser.require_subcommand(0, 1);
}

void add_options(Line& line) {
  line.parser.set_help_flag();
  line.parser.add_flag("-h,--help", line.help);
  line.parser.add_flag("--help-all", line.help_all);
  line.parser.add_flag("-V,--version", line.version);
  line.parser.add_flag("--check-config", line.check_config);
  line.parser.add_flag("--internal-test-listener-support", line.listener_support);
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
  if (name == "key") return line.key_options;
  if (name == "credential") return line.credential_options;
  if (name == "announce") return line.announce_options;
  if (name == "state") return line.state_options;
  if (name == "issue") return line.issue_options;
  if (name == "publish") return line.publish_options;
  if (name == "read") return line.read_options;
  if (name == "status") return line.status_options;
  if (name == "sync" && line.sync_retry->parsed()) return line.sync_retry_options;
  if (name == "sync") return line.sync_options;
  if (name == "verify") return line.verify_options;
  return ServeOptions{};
}

// What test suites of GRASP servers ask before they hand over a socket (NGIT_TEST_LISTENER_FD).
constexpr std::string_view kListenerSupport = "ngit-test-listener-v1\n";

Answer usage_error(std::string_view what) {
  return {kUsageError, fmt::format("graspd: {}\nTry graspd --help.\n", what)};
}

// What a command cannot do without, if that is missing.
std::optional<std::string_view> missing_in(const Line& line, std::string_view name) {
  if (name == "import" && line.import_options.commit && line.import_options.from_ngit.empty())
    return "--commit belongs to --from-ngit: graspd import --from-ngit RELAY GIT --commit";
  if (name == "backup" && line.backup_options.directory.empty())
    return "backup needs a directory to write to";
  if (name == "announce" && line.announce_options.identifier.empty())
    return "announce needs an identifier: graspd announce my-tool";
  if (name == "state" && line.state_options.identifier.empty())
    return "state needs the identifier that was announced: graspd state my-tool";
  if (name == "issue" && line.issue_options.repository.empty())
    return "issue needs a repository: graspd issue npub1…/my-tool --subject \"…\" \"…\"";
  if (name == "issue" && line.issue_options.subject.empty())
    return "issue needs a --subject: one line that says what it is about";
  const bool retries = line.sync_retry->parsed();
  if (name == "sync" && !retries && line.sync_options.url.empty())
    return "sync needs a relay: graspd sync wss://relay.example.org";
  if (retries && line.sync_retry_options.relay.empty())
    return "sync retry needs a relay: graspd sync retry wss://relay.example.org";
  return std::nullopt;
}

std::variant<Invocation, Answer> understood(const Line& line) {
  const auto subcommands = line.parser.get_subcommands();
  const std::string name = subcommands.empty() ? std::string() : subcommands.front()->get_name();
  if (line.help_all) return Answer{0, general_help(HelpOf::AllSettings)};
  if (line.help)
    return Answer{0, name.empty() ? general_help(HelpOf::CommonSettings) : command_help(name)};
  if (line.version) return Answer{0, fmt::format("graspd {}\n", kVersion)};
  if (line.listener_support) return Answer{0, std::string(kListenerSupport)};
  if (const auto missing = missing_in(line, name)) return usage_error(*missing);
  Invocation invocation{command_of(line, name), {}, std::nullopt, {}};
  const auto value_of = [](const CLI::Option& option, bool is_switch) {
    auto value = option.as<std::string>();
    return value.empty() && is_switch ? std::string("true") : value;
  };
  for (const auto& [setting, option] : line.settings)
    if (option->count() > 0)
      invocation.flags.emplace_back(setting, value_of(*option, setting->is_switch()));
  for (const auto& [setting, option] : line.foreign_settings)
    if (option->count() > 0)
      invocation.foreign_flags.emplace_back(setting, value_of(*option, setting->is_switch));
  if (!line.config_path.empty()) invocation.config_path = line.config_path;
  return invocation;
}

}  // namespace

std::variant<Invocation, Answer> parse_command_line(const std::vector<std::string>& arguments) {
  Line line;
  add_options(line);
  add_settings(line);
  add_foreign_settings(line);
  add_commands(line);
  try {
    // CLI11 takes them last one first.
    std::vector<std::string> backwards(arguments.rbegin(), arguments.rend());
    if (!backwards.empty() && backwards.back() == "help") backwards.back() = "--help";
    line.parser.parse(std::move(backwards));
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  return understood(line);
}

}  // namespace graspd::app
