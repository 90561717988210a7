// The one way a scenario gives up: with a sentence. The others still run.
#pragma once
#include <stdexcept>
#include <string>

namespace graspd::load {

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace graspd::load
