// Settings from all their sources.
//
//   R1  flag > environment > file > default. Every value remembers its source.
//   R2  The file is the one named by --config or NGIT_CONFIG_FILE, which must exist; otherwise
//       `.env` in the working directory, if it exists. The prefix NGIT_ is optional in files.
//   R3  A wrong value stops the start. The error says what is wrong, where it is, and what to write
//       instead. All wrong values are reported at once.
//   R4  Unknown names are ignored, with one warning that lists them all: every NGIT_* of the
//       environment, and everything in the file. A setting that earlier versions had gets a
//       warning of its own.
//   R5  A setting of ngit-grasp that would be dangerous to ignore stops the start.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/config_file.h"
#include "app/config/foreign_settings.h"
#include "app/config/setting_table.h"
#include "app/config/settings.h"
#include "core/result.h"

namespace graspd::app {

enum class Origin { Default, File, Environment, Flag };

struct Source {
  Origin origin = Origin::Default;
  std::string place;  // "default", ".env:12", "environment", "--max-connections"
};

struct Configuration {
  Settings settings;
  std::map<std::string_view, Source> sources;  // by setting name; all of the table
  std::optional<std::string> file;             // the one read
  std::vector<std::string> warnings;
};

using Environment = std::map<std::string, std::string>;
Environment process_environment();

struct ConfigInputs {
  std::vector<std::pair<const Setting*, std::string>> flags;
  Environment environment;
  std::optional<std::string> config_path;  // --config
  std::vector<std::pair<const ForeignSetting*, std::string>> foreign_flags = {};
};

// Reads the file of R2 and decides. The failure is one sentence a line.
core::Result<Configuration, std::string> configure(const ConfigInputs& inputs);

// The deciding alone.
core::Result<Configuration, std::string> configure(const ConfigInputs& inputs,
                                                   const std::optional<ConfigFile>& file);

}  // namespace graspd::app
