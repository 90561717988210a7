// The one list of settings. Flags, environment, file, `graspd config`, --help, --help-all and
// docs/configuration.md are all made from it.
//
//   R1  A setting NAME is NGIT_NAME in the environment and in files, --name as a flag. GRASPD_NAME
//       means the same and wins.
//   R2  Empty means unset, so that an empty variable in a template does no harm. A secret is the
//       exception: an empty one is an error, because a new identity must never be created by
//       mistake.
//   R3  A secret is never printed, not even a wrong one in an error, and has no flag: command lines
//       are public.
//   R4  For every limit 0 means no limit.
//   R5  --help shows the common settings, which most operators need; --help-all shows all.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/config/setting_value.h"
#include "app/config/settings.h"

namespace graspd::app {

enum class Group {
  Identity,
  Network,
  Storage,
  Repositories,
  Private,
  Sync,
  Limits,
  Threads,
  Observing,
  Testing
};
std::string_view title(Group group);

// nullopt when the text was taken.
using Verdict = std::optional<Complaint>;

struct Setting {
  std::string_view name;  // without NGIT_
  Group group;
  std::string_view type;  // what a value looks like, for people: "number", "true|false"
  std::string_view help;  // one line
  std::function<Verdict(Settings&, std::string_view)> parse;
  std::function<std::string(const Settings&)> print;
  std::string_view default_text = {};  // when the default is not one fixed value
  bool secret = false;
  bool is_common = false;  // R5

  std::string variable() const;  // NGIT_NAME
  std::string flag() const;      // --name; empty for a secret
  bool is_switch() const { return type == "true|false"; }
};

std::span<const Setting> setting_table();
const Setting* find_setting(std::string_view name);  // without NGIT_

std::string default_of(const Setting& setting);  // as the help and the documentation show it

// What several settings must be to each other; the text names both and the remedy.
std::optional<std::string> contradiction(const Settings& settings);

}  // namespace graspd::app
