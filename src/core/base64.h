// Base64 as RFC 4648 writes it, with padding.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graspd::core {

std::string encode_base64(std::span<const std::uint8_t> bytes);
std::string encode_base64(std::string_view bytes);
// Strict: the one right spelling of something, or nullopt.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace graspd::core
