// Names for people: npub, nsec, note, nprofile, nevent, naddr (NIP-19).
//
//   R1  Fields of unknown type are skipped; a known one of the wrong length is refused.
//   R2  Of a field that may occur once, the first counts.
//   R3  A field holds at most 255 bytes: relay hints that do not fit are left out when writing,
//       an identifier that does not fit has no name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "nostr/address.h"
#include "nostr/keys.h"

namespace graspd::nostr::nip19 {

struct Profile {
  PublicKey pubkey;
  std::vector<std::string> relays;  // as written: not yet RelayUrl
  bool operator==(const Profile&) const = default;
};
struct EventPointer {
  EventId id;
  std::vector<std::string> relays;
  std::optional<PublicKey> author;
  std::optional<std::uint32_t> kind;
  bool operator==(const EventPointer&) const = default;
};
struct AddressPointer {
  Address address;
  std::vector<std::string> relays;
  bool operator==(const AddressPointer&) const = default;
};

using Entity = std::variant<PublicKey, SecretKey, EventId, Profile, EventPointer, AddressPointer>;

enum class BadEntity {
  TooLong,
  NotBech32,
  Checksum,
  UnknownPrefix,
  WrongLength,
  MissingField,
  ImpossibleAddress,
};
std::string_view describe(BadEntity reason);

core::Result<Entity, BadEntity> decode(std::string_view text);

std::optional<PublicKey> parse_npub(std::string_view text);  // canonical lower case only
std::optional<SecretKey> parse_nsec(std::string_view text);

std::string npub(const PublicKey& key);
std::string nsec(const SecretKey& key);
std::string note(const EventId& id);
std::string encode(const Profile& profile);
std::string encode(const EventPointer& pointer);
std::optional<std::string> encode(const AddressPointer& pointer);  // R3

}  // namespace graspd::nostr::nip19
