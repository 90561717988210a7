// Makes untrusted text fit for our pages.
//
//   R1  It is cut between two characters, with "…" where something is missing.
//   R2  Characters that change the direction of the following text are removed, and so are control
//       characters; text in a right-to-left script does not affect its surroundings.
//   R3  shown() escapes all markup.
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
