// Settings of ngit-grasp that mean nothing here. Its command lines and files start graspd all the
// same, with a warning, unless that would do what their owner does not want.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace graspd::app {

struct ForeignSetting {
  std::string_view name;  // without NGIT_
  bool is_switch = false;
  std::string_view refusal = {};  // why nobody may start with it switched on; empty: all may

  std::string flag() const;
};

std::span<const ForeignSetting> foreign_settings();
const ForeignSetting* find_foreign_setting(std::string_view name);

}  // namespace graspd::app
