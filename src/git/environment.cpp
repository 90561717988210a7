#include "git/environment.h"

#include <fmt/format.h>
#include <utility>

#include "git/git_config.h"

namespace graspd::git {

Environment::Environment()
    : variables_{
          "PATH=/usr/local/bin:/usr/bin:/bin",
          "LC_ALL=C",
          "HOME=/nonexistent",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_TERMINAL_PROMPT=0",
      } {
  for (const auto& [key, value] : config_table()) add_config(key, value);
  for (const auto fault : tolerated_faults()) {
    add_config(fmt::format("receive.fsck.{}", fault), "ignore");
  }
}

void Environment::add(std::string_view name, std::string_view value) {
  variables_.push_back(fmt::format("{}={}", name, value));
}

void Environment::add_config(std::string_view key, std::string_view value) {
  add(fmt::format("GIT_CONFIG_KEY_{}", config_count_), key);
  add(fmt::format("GIT_CONFIG_VALUE_{}", config_count_), value);
  ++config_count_;
}

std::vector<std::string> Environment::finish() && {
  add("GIT_CONFIG_COUNT", std::to_string(config_count_));
  return std::move(variables_);
}

}  // namespace graspd::git
