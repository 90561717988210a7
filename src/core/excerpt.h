// The beginning of a text that is too long to be kept whole.
#pragma once
#include <cstddef>
#include <string>

namespace graspd::core {

// At most `most` bytes, cut between two characters: what was UTF-8 stays UTF-8.
std::string excerpt(std::string text, std::size_t most);

}  // namespace graspd::core
