// Lower-case hexadecimal, the only spelling Nostr allows.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace graspd::core {

// Fills `out` exactly; false if `text` is not 2 * out.size() lower-case hex digits.
[[nodiscard]] bool decode_hex(std::string_view text, std::span<std::uint8_t> out);

std::string encode_hex(std::span<const std::uint8_t> bytes);
void append_hex(std::string& out, std::span<const std::uint8_t> bytes);

}  // namespace graspd::core
