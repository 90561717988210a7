// A life drawn from a seed: relays with bad habits, people who publish, a network that breaks and
// heals. Afterwards our store must be what was publishable (sync.md §14.16).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace graspd::sim {

struct Outcome {
  bool complete = false;
  std::uint64_t steps = 0, trace = 0;
  std::int64_t hours = 0;
  std::string trouble;  // when not complete
};

enum class Fate {
  Usual,
  Harsh,  // rarer troubles on top, from a stream of their own: the usual ones are those of the seed
};

// `tell` is told all that happens, a line each.
using Tell = std::function<void(const std::string&)>;
Outcome live_through(std::uint64_t seed, Fate fate = Fate::Usual, Tell tell = {});

}  // namespace graspd::sim
