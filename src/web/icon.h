// The icon of the service in a list of relays: a PNG of 128 by 128 pixels.
#pragma once
#include <string>

namespace graspd::web {

std::string icon();

}  // namespace graspd::web
