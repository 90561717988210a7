#include "grasp/identifier.h"

#include <cstdint>

#include "core/check.h"

namespace graspd::grasp {
namespace {

// The length of the UTF-8 sequence that a lead byte begins; 0 for what begins none.
std::size_t sequence_bytes(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

bool is_character(char32_t point, std::size_t bytes) {
  const bool is_overlong = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  const bool is_surrogate = point >= 0xd800 && point < 0xe000;
  return !is_overlong && !is_surrogate && point <= 0x10ffff;
}

// Removes one character from the front of `text`; nullopt when it does not begin with one.
std::optional<char32_t> take_character(std::string_view& text) {
  CHECK(!text.empty());
  const auto lead = static_cast<std::uint8_t>(text.front());
  const std::size_t bytes = sequence_bytes(lead);
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  char32_t point = bytes == 1 ? lead : lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    point = point << 6 | (next & 0x3fU);
  }
  if (!is_character(point, bytes)) return std::nullopt;
  text.remove_prefix(bytes);
  return point;
}

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

std::optional<BadIdentifier> fault_of_characters(std::string_view text) {
  while (!text.empty()) {
    const auto point = take_character(text);
    if (!point) return BadIdentifier::NotUtf8;
    if (*point == '/' || *point == '\\') return BadIdentifier::Separator;
    if (is_control(*point)) return BadIdentifier::ControlCharacter;
  }
  return std::nullopt;
}

}  // namespace

std::string_view describe(BadIdentifier reason) {
  switch (reason) {
    case BadIdentifier::Empty:
      return "repository identifier is missing or empty";
    case BadIdentifier::TooLong:
      return "repository identifier is longer than 251 bytes";
    case BadIdentifier::DotSegment:
      return "repository identifier must not be '.' or '..'";
    case BadIdentifier::Separator:
      return "repository identifier must not contain '/' or '\\'";
    case BadIdentifier::ControlCharacter:
      return "repository identifier must not contain control characters";
    case BadIdentifier::NotUtf8:
      break;
  }
  return "repository identifier is not valid UTF-8";
}

std::optional<BadIdentifier> Identifier::fault(std::string_view text) {
  if (text.empty()) return BadIdentifier::Empty;
  if (text.size() > kIdentifierBytesMax) return BadIdentifier::TooLong;
  if (text == "." || text == "..") return BadIdentifier::DotSegment;
  return fault_of_characters(text);
}

std::optional<Identifier> Identifier::parse(std::string_view text) {
  if (fault(text)) return std::nullopt;
  return Identifier(text);
}

}  // namespace graspd::grasp
