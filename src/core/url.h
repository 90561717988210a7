// The parts of a URL that say what is named: whose machine, which path.
//
//   R1  A URL without `scheme://` has an empty scheme; nothing is guessed here.
//   R2  Host in lower case without its root dot; an address in its one usual spelling (no
//       shortened, octal or hexadecimal IPv4), IPv6 without brackets. Names are ASCII: letters,
//       digits, '-', '_' and single dots. No credentials: "us.example@evil.example" is nobody.
//   R3  Path, query and fragment are kept apart and as written: percent sequences are not decoded.
//       Control characters and backslashes, which some readers take for slashes, are refused.
//   R4  At most 2048 bytes, 253 of them host; a port is 1 to 65535.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::core {

struct Url {
  std::string scheme;                 // lower case; empty when none is written
  std::string host;                   // never empty
  std::optional<std::uint16_t> port;  // as written, also when it is the scheme's default
  std::string path;                   // empty or beginning with '/'
  std::string query, fragment;        // without '?' and '#'

  static std::optional<Url> parse(std::string_view text);
  // As written, or the default of http, https, ws or wss; nullopt for other schemes.
  std::optional<std::uint16_t> effective_port() const;

  bool operator==(const Url&) const = default;
};

// Every byte but letters, digits and "-._~" becomes %XX.
std::string percent_encode(std::string_view text);
// Decodes once; nullopt when a '%' is not followed by two hex digits. '+' stays '+'.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace graspd::core
