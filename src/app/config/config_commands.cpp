#include "app/config/config_commands.h"

#include <cstdio>
#include <fmt/format.h>

namespace graspd::app {
namespace {

std::string table_row(const Setting& setting) {
  const std::string flag = setting.secret ? "–" : fmt::format("`{}`", setting.flag());
  const std::string shown = default_of(setting);
  const std::string preset = setting.default_text.empty() ? fmt::format("`{}`", shown) : shown;
  std::string type(setting.type);
  for (std::size_t bar = 0; (bar = type.find('|', bar)) != std::string::npos; bar += 2) {
    type.replace(bar, 1, "\\|");
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", setting.variable(), flag, type, preset,
                     setting.help);
}

}  // namespace

int show_config(const Configuration& configuration, const ConfigOptions& options) {
  fmt::print("{}", options.markdown ? config_markdown() : config_listing(configuration));
  return 0;
}

std::string config_listing(const Configuration& configuration) {
  std::string text;
  for (const Setting& setting : setting_table()) {
    std::string value = setting.print(configuration.settings);
    const Source& source = configuration.sources.at(setting.name);
    const bool computed = value.empty() && source.origin == Origin::Default;
    if (computed) value = fmt::format("({})", default_of(setting));
    text += fmt::format("{:<46} {:<30} {}\n", setting.variable(), value, source.place);
  }
  for (const std::string& warning : configuration.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string config_markdown() {
  std::string text(configuration_guide());
  for (std::size_t i = 0; i < setting_table().size(); ++i) {
    const Setting& setting = setting_table()[i];
    if (i == 0 || setting_table()[i - 1].group != setting.group) {
      text += fmt::format(
          "\n## {}\n\n| variable | flag | value | default | meaning |\n"
          "|---|---|---|---|---|\n",
          title(setting.group));
    }
    text += table_row(setting);
  }
  return text;
}

}  // namespace graspd::app
