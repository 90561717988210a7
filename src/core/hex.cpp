#include "core/hex.h"

#include <array>

namespace graspd::core {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr auto kValues = make_values();

constexpr std::array<std::array<char, 2>, 256> make_pairs() {
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i >> 4], kDigits[i & 15]};
  return pairs;
}
constexpr auto kPairs = make_pairs();

}  // namespace

bool decode_hex(std::string_view text, std::span<std::uint8_t> out) {
  if (text.size() != 2 * out.size()) return false;
  // Wrong digits are looked for once at the end: the loop stays free of branches.
  std::uint8_t seen = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t high = kValues[static_cast<unsigned char>(text[2 * i])];
    const std::uint8_t low = kValues[static_cast<unsigned char>(text[2 * i + 1])];
    seen |= high | low;
    out[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return (seen & 0xf0) == 0;
}

std::string encode_hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
  const std::size_t before = out.size();
  out.resize(before + 2 * bytes.size());
  char* at = out.data() + before;
  for (const std::uint8_t byte : bytes) {
    *at++ = kPairs[byte][0];
    *at++ = kPairs[byte][1];
  }
}

}  // namespace graspd::core
