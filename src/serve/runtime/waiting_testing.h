// For tests: waiting for what another thread brings about.
#pragma once
#include <chrono>
#include <thread>

namespace graspd::serve::waiting {

// Whatever takes longer than this has failed, also on a busy machine.
inline constexpr std::chrono::seconds kPatience{20};

template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace graspd::serve::waiting
