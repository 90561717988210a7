// A number of bytes for people: "512 MiB", "1.5 GiB", "937 bytes".
#pragma once
#include <cstdint>
#include <string>

namespace graspd::core {

std::string byte_words(std::uint64_t bytes);

}  // namespace graspd::core
