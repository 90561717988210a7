// Strangers' words, made fit to be shown on our pages.
//
//   R1  Cut between two characters, with "…" where something is missing.
//   R2  Characters that turn the direction of whatever follows are left out, and so are control
//       characters; a text in a right-to-left script keeps its direction to itself.
//   R3  Markup comes out of shown() only escaped.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/time.h"
#include "nostr/keys.h"

namespace graspd::web {

inline constexpr std::size_t kNameBytesMax = 256;  // any identifier, and names of that length
inline constexpr std::size_t kLineBytesMax = 500;  // a URL, a ref: a few lines on a phone

// Plain text: R1, R2.
std::string tidy(std::string_view text, std::size_t bytes_max);
// Markup: R1, R2, R3.
std::string shown(std::string_view text, std::size_t bytes_max = kLineBytesMax);

// "2025-03-01" in UTC; empty for a time that no calendar of ours has.
std::string date(core::UnixSeconds time);

// "npub1qqqqqq…wwwwww": enough to tell two apart at a glance.
std::string short_npub(const nostr::PublicKey& key);

}  // namespace graspd::web
