#include "core/percent.h"

#include <charconv>

#include "core/ascii.h"

namespace graspd::core {

bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos;
}

std::optional<std::uint8_t> percent_byte(std::string_view text) {
  std::uint8_t byte = 0;
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const auto [stopped, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  if (error != std::errc() || stopped != text.data() + 3) return std::nullopt;
  return byte;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kUpperDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kUpperDigits[byte >> 4], kUpperDigits[byte & 15]};
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = percent_byte(text.substr(i));
    if (!byte) return std::nullopt;
    out += static_cast<char>(*byte);
    i += 2;
  }
  return out;
}

}  // namespace graspd::core
