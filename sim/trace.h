// Words for everything that passes between the engine and the world, a line each: to read what
// happened in a life that failed (sim_test --trace --seed=N).
#pragma once
#include <string>

#include "sync/messages.h"

namespace graspd::sim {

std::string in_words(const sync::Input& input);
std::string in_words(const sync::Action& action);
std::string in_words(const nostr::Event& event);

}  // namespace graspd::sim
