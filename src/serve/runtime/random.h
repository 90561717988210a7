// Unpredictable bytes from the kernel, for what strangers must not guess.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace graspd::serve {

void fill_random(std::span<std::uint8_t> bytes);
std::string random_hex(std::size_t bytes);
std::uint64_t random_seed();

}  // namespace graspd::serve
