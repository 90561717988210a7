#include "app/run.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/base/exit_code.h"
#include "app/cli.h"
#include "app/import_ngit/import_ngit.h"
#include "app/server/log_sink.h"
#include "app/server/serve.h"
#include "lmdb/fault.h"

namespace graspd::app {
namespace {

int say(const Answer& answer) {
  fmt::print(answer.code == 0 ? stdout : stderr, "{}", answer.text);
  return answer.code;
}

class Logging {
 public:
  Logging(const Settings& settings, LogSink::To stream)
      : sink_(settings.log_level, settings.log_format, stream, settings.private_service.is_on) {
    core::log::install(&sink_);
  }
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;
  ~Logging() { core::log::install(nullptr); }

 private:
  LogSink sink_;
};

struct Perform {
  const Configuration& configuration;
  const ConfigInputs& inputs;
  const Settings& settings = configuration.settings;

  int operator()(const ServeOptions&) const {
    for (const std::string& warning : configuration.warnings) core::log::warn("{}", warning);
    return serve(settings, [this]() -> core::Result<Settings, std::string> {
      auto read = configure(inputs);
      if (!read) return core::Failure{std::move(read).error()};
      return std::move(read->settings);
    });
  }
  int operator()(const ImportOptions& options) const {
    if (options.from_ngit.empty()) return import_events(settings, options);
    return import_from_ngit(settings,
                            {options.from_ngit.front(), options.from_ngit.back(), options.commit});
  }
  int operator()(const ExportOptions& options) const { return export_events(settings, options); }
  int operator()(const CheckOptions& options) const { return check_database(settings, options); }
  int operator()(const CompactOptions& options) const {
    return compact_database(settings, options);
  }
  int operator()(const BackupOptions& options) const { return backup_database(settings, options); }
  int operator()(const ConfigOptions& options) const { return show_config(configuration, options); }
  int operator()(const KeyOptions& options) const { return show_key(options); }
  int operator()(const AnnounceOptions& options) const { return announce(options); }
  int operator()(const StateOptions& options) const { return publish_state(options); }
  int operator()(const IssueOptions& options) const { return open_issue(options); }
  int operator()(const PublishOptions& options) const { return publish_any(options); }
  int operator()(const ReadOptions& options) const { return read_events(options); }
  int operator()(const StatusOptions& options) const { return show_status(settings, options); }
  int operator()(const SyncOptions& options) const { return sync_with_relay(settings, options); }
  int operator()(const SyncRetryOptions& options) const { return retry_relay(settings, options); }
  int operator()(const CredentialOptions& options) const { return give_credential(options); }
  int operator()(const VerifyOptions& options) const {
    return verify_repositories(settings, options);
  }
  int operator()(const CheckConfigOptions&) const {
    for (const std::string& warning : configuration.warnings) {
      fmt::print("warning: {}\n", warning);
    }
    fmt::print("the configuration is valid\n");
    return 0;
  }
};

}  // namespace

int run(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(arguments);
  if (const auto* answer = std::get_if<Answer>(&parsed)) return say(*answer);
  const auto& invocation = std::get<Invocation>(parsed);
  // git calls it in folders whose .env belongs to somebody else.
  if (const auto* credential = std::get_if<CredentialOptions>(&invocation.command))
    return give_credential(*credential);
  const ConfigInputs inputs{invocation.flags, process_environment(), invocation.config_path,
                            invocation.foreign_flags};
  const auto configuration = configure(inputs);
  if (!configuration) {
    fmt::print(stderr, "graspd: the configuration is invalid\n{}\n", configuration.error());
    return kUsageError;
  }
  lmdb::explain_faults();
  const bool serves = std::holds_alternative<ServeOptions>(invocation.command);
  const Logging logging(configuration->settings,
                        serves ? LogSink::To::Stdout : LogSink::To::Stderr);
  return std::visit(Perform{*configuration, inputs}, invocation.command);
}

}  // namespace graspd::app
