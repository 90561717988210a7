#include "app/config/config.h"

#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "app/base/secret_file.h"
#include "app/config/foreign_settings.h"

namespace graspd::app {
namespace {

using core::Failure;

constexpr std::string_view kPrefix = "NGIT_";
constexpr std::string_view kOwnPrefix = "GRASPD_";
constexpr std::string_view kFileVariable = "NGIT_CONFIG_FILE";
constexpr std::string_view kClientKeyVariable = "NGIT_CLIENT_KEY_FILE";  // of client commands
constexpr std::string_view kUsualFile = ".env";

std::string_view without_prefix(std::string_view key) {
  for (const std::string_view prefix : {kPrefix, kOwnPrefix})
    if (key.starts_with(prefix)) return key.substr(prefix.size());
  return key;
}

// Collects values from weakest to strongest source, then parses what won.
class Layers {
 public:
  void add(const Setting& setting, std::string_view value, Source source) {
    if (value.empty() && !setting.secret) return;  // R2 of app/config/setting_table.h
    winners_[setting.name] = {std::string(value), std::move(source)};
  }
  void add_unknown(std::string_view name, std::string_view value, std::string_view place) {
    const std::string bare(without_prefix(name));
    const ForeignSetting* foreign = find_foreign_setting(bare);
    if (foreign && !foreign->refusal.empty()) {  // R5
      const auto wish = parse_bool(value);
      const bool is_on = wish ? *wish : !value.empty();
      refusals_[bare] =
          is_on ? fmt::format("{} ({}): \"{}\" {}", name, place, value, foreign->refusal) : "";
    }
    const bool is_retired = foreign && foreign->is_retired;
    (is_retired ? retired_ : unknown_).push_back(fmt::format("{} ({})", name, place));
  }

  core::Result<Configuration, std::string> parse() const {
    Configuration configuration;
    std::vector<std::string> complaints;
    for (const Setting& setting : setting_table()) {
      const auto winner = winners_.find(setting.name);
      if (winner == winners_.end()) {
        configuration.sources[setting.name] = {Origin::Default, "default"};
        continue;
      }
      const auto& [value, source] = winner->second;
      configuration.sources[setting.name] = source;
      if (const auto complaint = setting.parse(configuration.settings, value)) {
        complaints.push_back(sentence(setting, value, source, *complaint));
      }
    }
    for (const auto& [name, refusal] : refusals_)
      if (!refusal.empty()) complaints.push_back(refusal);
    if (complaints.empty()) {
      if (auto both = contradiction(configuration.settings)) complaints.push_back(*both);
    }
    if (!complaints.empty()) return Failure{fmt::format("{}", fmt::join(complaints, "\n"))};
    warn(configuration);
    return configuration;
  }

 private:
  struct Winner {
    std::string value;
    Source source;
  };

  static std::string sentence(const Setting& setting, std::string_view value, const Source& source,
                              const Complaint& complaint) {
    const bool has_secret = setting.secret || value.find("nsec1") != std::string_view::npos;
    const std::string shown = has_secret ? "the value" : fmt::format("\"{}\"", value);
    return fmt::format("{} ({}): {} {}; {}", setting.variable(), source.place, shown,
                       complaint.what, complaint.remedy);
  }

  void warn(Configuration& configuration) const {
    if (!unknown_.empty()) {  // R4
      configuration.warnings.push_back(fmt::format(
          "ignored, because this version does not know them: {}", fmt::join(unknown_, ", ")));
    }
    for (const std::string& retired : retired_)
      configuration.warnings.push_back(retired + " has no effect any more; remove it");
    const Settings& settings = configuration.settings;
    if (settings.domain.empty() && !settings.bind_ip.is_loopback()) {
      configuration.warnings.push_back(fmt::format(
          "NGIT_DOMAIN is not set, so the service calls itself {}; set it to the name clients use",
          bind_address(settings, settings.bind_port)));
    }
  }

  std::map<std::string_view, Winner> winners_;
  std::vector<std::string> unknown_, retired_;
  std::map<std::string, std::string> refusals_;  // by name; what the strongest source makes of it
};

void add_file(Layers& layers, const ConfigFile& file) {
  for (const ConfigEntry& entry : file.entries) {
    const std::string place = fmt::format("{}:{}", file.path, entry.line);
    if (const Setting* setting = find_setting(without_prefix(entry.key))) {
      layers.add(*setting, entry.value, {Origin::File, place});
    } else {
      layers.add_unknown(entry.key, entry.value, place);
    }
  }
}

void add_environment(Layers& layers, const Environment& environment) {
  for (auto it = environment.lower_bound(std::string(kPrefix));
       it != environment.end() && it->first.starts_with(kPrefix); ++it) {
    if (it->first == kFileVariable || it->first == kClientKeyVariable) continue;
    if (const Setting* setting = find_setting(without_prefix(it->first))) {
      layers.add(*setting, it->second, {Origin::Environment, "environment"});
    } else {
      layers.add_unknown(it->first, it->second, "environment");
    }
  }
}

// Other programs may have variables that begin like ours: only settings are looked at.
void add_own_environment(Layers& layers, const Environment& environment) {
  for (auto it = environment.lower_bound(std::string(kOwnPrefix));
       it != environment.end() && it->first.starts_with(kOwnPrefix); ++it) {
    if (const Setting* setting = find_setting(without_prefix(it->first)))
      layers.add(*setting, it->second, {Origin::Environment, "environment"});
  }
}

// R2.
std::optional<std::string> file_to_read(const ConfigInputs& inputs) {
  if (inputs.config_path) return inputs.config_path;
  const auto variable = inputs.environment.find(std::string(kFileVariable));
  if (variable != inputs.environment.end() && !variable->second.empty()) return variable->second;
  std::error_code error;
  if (std::filesystem::is_regular_file(kUsualFile, error)) return std::string(kUsualFile);
  return std::nullopt;
}

void warn_of_exposed_key(Configuration& configuration, const std::string& path) {
  for (const Setting& setting : setting_table()) {
    if (!setting.secret || configuration.sources.at(setting.name).origin != Origin::File) continue;
    if (const auto exposed = exposed_to_strangers(path))
      configuration.warnings.push_back(
          fmt::format("{} is set in a file, and {}", setting.variable(), *exposed));
  }
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

core::Result<Configuration, std::string> configure(const ConfigInputs& inputs) {
  const auto path = file_to_read(inputs);
  if (!path) return configure(inputs, std::nullopt);
  auto file = read_config_file(*path);
  if (!file) return Failure{std::move(file).error()};
  auto configuration = configure(inputs, *std::move(file));
  if (configuration) warn_of_exposed_key(*configuration, *path);
  return configuration;
}

core::Result<Configuration, std::string> configure(const ConfigInputs& inputs,
                                                   const std::optional<ConfigFile>& file) {
  Layers layers;
  if (file) add_file(layers, *file);
  add_environment(layers, inputs.environment);
  add_own_environment(layers, inputs.environment);
  for (const auto& [setting, value] : inputs.flags) {
    layers.add(*setting, value, {Origin::Flag, setting->flag()});
  }
  for (const auto& [setting, value] : inputs.foreign_flags)
    layers.add_unknown(setting->name, value, setting->flag());
  auto configuration = layers.parse();
  if (!configuration) return configuration;
  if (file) configuration->file = file->path;
  // One message limit, enforced where messages arrive and told in NIP-11.
  Settings& settings = configuration->settings;
  settings.server.message_bytes_max = settings.limits.message_bytes;
  return configuration;
}

}  // namespace graspd::app
