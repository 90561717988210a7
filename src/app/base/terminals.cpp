#include "app/base/terminals.h"

#include <algorithm>
#include <unistd.h>

namespace graspd::app {

Terminals::Terminals(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors)
    if (::isatty(descriptor) == 1) terminals_.push_back(descriptor);
}

bool Terminals::are_gone() const {
  return std::ranges::any_of(terminals_, [](int descriptor) { return ::isatty(descriptor) != 1; });
}

}  // namespace graspd::app
