// KEY=VALUE files, as shells and service managers write them.
//
//   R1  One setting per line. Blank lines and lines that begin with # are skipped. `export ` before
//       the key is allowed, and so is white space around key and value.
//   R2  'single quotes' keep everything as it is; in "double quotes" \n \t \" \\ \$ mean what they
//       mean in a shell; an unquoted value ends at " #".
//   R3  A repeated key replaces the earlier one, as in a shell.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace graspd::app {

struct ConfigEntry {
  std::string key;
  std::string value;
  std::size_t line = 0;
};

struct ConfigFile {
  std::string path;
  std::vector<ConfigEntry> entries;
};

// The failure is a sentence with the line.
core::Result<ConfigFile, std::string> parse_config_text(std::string path, std::string_view text);
core::Result<ConfigFile, std::string> read_config_file(const std::string& path);

}  // namespace graspd::app
