#include "negentropy/varint.h"

#include <array>
#include <limits>

namespace graspd::negentropy {
namespace {

constexpr std::uint8_t kMoreDigits = 0x80;
constexpr unsigned kDigitBits = 7;

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
  std::array<char, kVarintBytesMax> digits;
  std::size_t first = digits.size();
  std::uint8_t more = 0;
  do {
    digits[--first] = static_cast<char>((value & 0x7f) | more);
    more = kMoreDigits;
    value >>= kDigitBits;
  } while (value != 0);
  out.append(digits.data() + first, digits.size() - first);
}

core::Result<std::uint64_t, BadMessage> read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto digit = static_cast<std::uint8_t>(bytes[i]);
    const bool leading_zero = i == 0 && digit == kMoreDigits;
    const bool overflows = value > std::numeric_limits<std::uint64_t>::max() >> kDigitBits;
    if (leading_zero || overflows) return core::Failure{BadMessage::Varint};
    value = value << kDigitBits | (digit & 0x7f);
    if (digit < kMoreDigits) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return core::Failure{BadMessage::Truncated};
}

}  // namespace graspd::negentropy
