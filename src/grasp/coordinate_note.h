// Parts of notes that are kept per coordinate.
#pragma once
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "grasp/coordinate.h"
#include "grasp/note_text.h"
#include "nostr/event.h"

namespace graspd::grasp::note {

// <prefix><owner>/<identifier>
inline std::string coordinate_key(std::string_view prefix, const Coordinate& coordinate) {
  return fmt::format("{}{}/{}", prefix, coordinate.owner.hex(), coordinate.identifier.text());
}
inline std::optional<Coordinate> parse_coordinate(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto owner = nostr::PublicKey::from_hex(text.substr(0, slash));
  const auto identifier = Identifier::parse(text.substr(slash + 1));
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *identifier};
}

// "<time>" or "<time> <id>". What is no number counts as 0.
inline core::UnixSeconds leading_time(std::string_view text) {
  core::UnixSeconds time = 0;
  std::from_chars(text.data(), text.data() + text.size(), time);
  return time;
}
inline std::optional<nostr::EventId> trailing_id(std::string_view text) {
  take(text, ' ');
  return nostr::EventId::from_hex(text);
}

}  // namespace graspd::grasp::note
