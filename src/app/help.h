// What graspd says about itself. Lists come from the setting table and the command table.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace graspd::app {

struct CommandHelp {
  std::string_view name;
  std::string_view usage;    // behind the name
  std::string_view summary;  // one line
  std::string_view text;     // how it behaves, and examples
};

std::span<const CommandHelp> command_table();

enum class HelpOf { CommonSettings, AllSettings };
std::string general_help(HelpOf what);
std::string command_help(std::string_view command);  // CHECKs that there is one

}  // namespace graspd::app
