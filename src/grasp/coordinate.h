// Which repository: whose, and which of theirs. Everything the server keeps is keyed by this and
// never by the identifier alone, because anybody may use another's identifier.
//
//   R1  Ordered by identifier, then owner: the repositories of one identifier lie together.
//   R2  In a URL the owner is a canonical lower-case npub; the identifier is percent-decoded
//       exactly once, then validated; ".git" is required. Nothing else becomes a coordinate.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "grasp/identifier.h"
#include "nostr/address.h"
#include "nostr/keys.h"
#include "nostr/kind.h"

namespace graspd::grasp {

namespace kinds {
inline constexpr nostr::Kind kAnnouncement{30617}, kState{30618};
}  // namespace kinds

inline constexpr std::string_view kRepositorySuffix = ".git";

struct Coordinate {
  nostr::PublicKey owner;
  Identifier identifier;

  static std::optional<Coordinate> from_address(const nostr::Address& address);  // kind 30617
  // The two segments of /<npub>/<identifier>.git as they stand in the request.
  static std::optional<Coordinate> from_url_path(std::string_view npub_segment,
                                                 std::string_view repository_segment);

  nostr::Address announcement_address() const;
  nostr::Address state_address(const nostr::PublicKey& author) const;
  std::string path() const;      // "<npub>/<identifier>.git", verbatim: the layout on disk
  std::string url_path() const;  // "/<npub>/<identifier>.git", percent-encoded

  std::strong_ordering operator<=>(const Coordinate& other) const;  // R1
  bool operator==(const Coordinate&) const = default;
};

// "<identifier>.git" as a URL path segment, decoded once (R2).
std::optional<Identifier> parse_repository_segment(std::string_view segment);

}  // namespace graspd::grasp
