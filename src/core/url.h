// The parts of a URL that say what is named: whose machine, which path.
//
//   R1  A URL without `scheme://` has an empty scheme; nothing is guessed here.
//   R2  Host and port as authority.h reads them; names are ASCII. No credentials:
//       "us.example@evil.example" is nobody.
//   R3  Path, query and fragment are kept apart and as written: percent sequences are not decoded.
//       Control characters and backslashes, which some readers take for slashes, are refused.
//   R4  At most 2048 bytes.
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

}  // namespace graspd::core
