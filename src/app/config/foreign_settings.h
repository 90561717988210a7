// Settings of ngit-grasp, and of earlier versions, that have no meaning here. Command lines and
// files that have them still start graspd, with a warning, unless ignoring a setting would do what
// its owner does not want.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace graspd::app {

struct ForeignSetting {
  std::string_view name;  // without NGIT_
  bool is_switch = false;
  std::string_view refusal = {};  // why nobody may start with it switched on; empty: all may
  bool is_retired = false;        // a setting of earlier versions

  std::string flag() const;
};

std::span<const ForeignSetting> foreign_settings();
const ForeignSetting* find_foreign_setting(std::string_view name);

}  // namespace graspd::app
