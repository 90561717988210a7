// The opening of docs/configuration.md; `graspd config --markdown` writes the rest from the table.
#pragma once
#include <string_view>

namespace graspd::app {

std::string_view configuration_guide();

}  // namespace graspd::app
