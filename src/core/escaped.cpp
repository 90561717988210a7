#include "core/escaped.h"

#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace graspd::core {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // shorter forms are forgeries
  if (lead < 0xC0 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {};
    code = (code << 6) | (byte(at) & 0x3FU);
  }
  if (code < kSmallest[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes};
}

// R1
bool steers(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  const bool turns = code == 0x061C || code == 0x200E || code == 0x200F ||
                     (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return turns || code == 0x2028 || code == 0x2029;
}

void write_down(std::string& out, char32_t code) {
  if (code == '\n')
    out += "\\n";
  else if (code < 0x80)
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint32_t>(code));
  else
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
}

template <class Write, class Spoil>
std::string rewritten(std::string_view text, Write write, Spoil spoil) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    if (next.bytes == 0)
      spoil(out, static_cast<unsigned char>(text.front()));  // R2
    else if (steers(next.code))
      write(out, next.code);
    else
      out.append(text.substr(0, next.bytes));
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text, Newlines newlines) {
  return rewritten(
      text,
      [newlines](std::string& out, char32_t code) {
        if (code == '\n' && newlines == Newlines::Kept)
          out += '\n';
        else
          write_down(out, code);
      },
      [](std::string& out, unsigned char byte) { out += fmt::format("\\x{:02x}", byte); });
}

std::string escaped_json(std::string_view json) {
  return rewritten(
      json,
      [](std::string& out, char32_t code) {
        if (code == '\n' || code == '\r' || code == '\t')
          out += static_cast<char>(code);  // between values: in strings they are written down
        else
          out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
      },
      [](std::string& out, unsigned char) { out += "\\ufffd"; });
}

}  // namespace graspd::core
