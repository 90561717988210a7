// An event as ngit-grasp stores it: a FlatBuffer without identifier or size prefix.
//
//   R1  The bytes are untrusted: every offset is checked before it is followed.
//   R2  Neither id nor signature are checked here, nor whether the texts are UTF-8: the result is
//       not yet an event that anybody may see.
//   R3  Parts may be shared within a buffer, but the result is at most kSharingMax times as large:
//       a small buffer cannot become a large event.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "nostr/event.h"

namespace graspd::nostr {

inline constexpr std::size_t kSharingMax = 4;

std::optional<Event> parse_flat_event(std::span<const std::uint8_t> bytes);

}  // namespace graspd::nostr
