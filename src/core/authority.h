// `host[:port]` of a URL.
//
//   R1  Host in lower case without its root dot, at most 253 bytes; an address in its one usual
//       spelling (no shortened, octal or hexadecimal IPv4), IPv6 without brackets.
//   R2  Names are letters, digits, '-', '_' and single dots; where the caller allows it, percent
//       sequences of what is not ASCII too. No credentials.
//   R3  A port is 1 to 65535; "host:" has none.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::core {

struct Authority {
  enum class Names { Ascii, PercentEncoded };

  std::string host;                   // never empty
  std::optional<std::uint16_t> port;  // as written

  static std::optional<Authority> parse(std::string_view text, Names names);
};

}  // namespace graspd::core
