#include "grasp/coordinate.h"

#include <fmt/format.h>

#include "core/percent.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {}  // namespace

std::optional<Identifier> parse_repository_segment(std::string_view segment) {
  const auto decoded = core::percent_decode(segment);
  if (!decoded || !decoded->ends_with(kRepositorySuffix)) return std::nullopt;
  return Identifier::parse(
      std::string_view(*decoded).substr(0, decoded->size() - kRepositorySuffix.size()));
}

std::optional<Coordinate> Coordinate::from_address(const nostr::Address& address) {
  if (address.kind != kinds::kAnnouncement) return std::nullopt;
  auto identifier = Identifier::parse(address.identifier);
  if (!identifier) return std::nullopt;
  return Coordinate{address.pubkey, *std::move(identifier)};
}

std::optional<Coordinate> Coordinate::from_url_path(std::string_view npub_segment,
                                                    std::string_view repository_segment) {
  const auto owner = nostr::nip19::parse_npub(npub_segment);
  auto identifier = parse_repository_segment(repository_segment);
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *std::move(identifier)};
}

nostr::Address Coordinate::announcement_address() const {
  return {kinds::kAnnouncement, owner, identifier.text()};
}

nostr::Address Coordinate::state_address(const nostr::PublicKey& author) const {
  return {kinds::kState, author, identifier.text()};
}

std::string Coordinate::path() const {
  return fmt::format("{}/{}{}", nostr::nip19::npub(owner), identifier.text(), kRepositorySuffix);
}

std::string Coordinate::url_path() const {
  return fmt::format("/{}/{}{}", nostr::nip19::npub(owner), core::percent_encode(identifier.text()),
                     kRepositorySuffix);
}

std::strong_ordering Coordinate::operator<=>(const Coordinate& other) const {
  if (const auto order = identifier <=> other.identifier; order != 0) return order;
  return owner <=> other.owner;
}

}  // namespace graspd::grasp
