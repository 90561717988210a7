// graspd config: every setting, its effective value and its source.
#pragma once
#include <string>

#include "app/config/config.h"

namespace graspd::app {

struct ConfigOptions {
  bool markdown = false;  // the text of docs/configuration.md instead
};

int show_config(const Configuration& configuration, const ConfigOptions& options);

std::string config_listing(const Configuration& configuration);
std::string config_markdown();
std::string_view configuration_guide();  // how docs/configuration.md begins

}  // namespace graspd::app
