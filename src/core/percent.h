// Percent sequences (RFC 3986, section 2).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::core {

// Letters, digits and "-._~": never need a percent sequence.
bool is_unreserved(char c);
// The byte that "%XX" at the start of `text` stands for.
std::optional<std::uint8_t> percent_byte(std::string_view text);

// Every byte that is not unreserved becomes %XX.
std::string percent_encode(std::string_view text);
// Decodes once; nullopt when a '%' is not followed by two hex digits. '+' stays '+'.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace graspd::core
