// Bech32 (BIP-173; not bech32m), strict.
//
//   R1  Upper or lower case, never mixed; what is written is lower case.
//   R2  The checksum must be right; the bits that fill up the last group must be zero, and fewer
//       than five: one value has one spelling.
//   R3  At most 5000 characters (NIP-19), where BIP-173 stops at 90.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace graspd::nostr::bech32 {

inline constexpr std::size_t kCharactersMax = 5000;

struct Decoded {
  std::string prefix;  // lower case
  std::vector<std::uint8_t> bytes;
};
enum class Bad { TooLong, NotBech32, Checksum };

core::Result<Decoded, Bad> decode(std::string_view text);

// `prefix` is a few lower-case letters.
std::string encode(std::string_view prefix, std::span<const std::uint8_t> bytes);

}  // namespace graspd::nostr::bech32
