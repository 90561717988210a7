// SHA-256: event ids, long index keys, negentropy fingerprints.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace graspd::core {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::span<const std::uint8_t> bytes);
Sha256 sha256(std::string_view text);
// Of the parts one after the other, without joining them first.
Sha256 sha256(std::initializer_list<std::string_view> parts);

}  // namespace graspd::core
