// Builds the environment of every git process of ours: see command_line.h R1.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::git {

class Environment {
 public:
  Environment();

  void add(std::string_view name, std::string_view value);
  // Beside those of git_config.h.
  void add_config(std::string_view key, std::string_view value);

  std::vector<std::string> finish() &&;  // NAME=value

 private:
  std::vector<std::string> variables_;
  std::size_t config_count_ = 0;
};

}  // namespace graspd::git
