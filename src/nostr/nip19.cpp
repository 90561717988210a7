#include "nostr/nip19.h"

#include <algorithm>
#include <limits>

#include "nostr/bech32.h"

namespace graspd::nostr::nip19 {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Decoded = core::Result<Entity, BadEntity>;

enum FieldType : std::uint8_t { kSpecial = 0, kRelay = 1, kAuthor = 2, kKind = 3 };
constexpr std::size_t kFieldBytesMax = 255;
constexpr std::size_t kKindBytes = 4;
// Whatever carries this many bytes stays below 5000 characters, prefix and checksum included.
constexpr std::size_t kPayloadBytesMax = 3100;
static_assert((kPayloadBytesMax * 8 + 4) / 5 + sizeof("nprofile1") + 6 <= bech32::kCharactersMax);

struct Fields {
  std::optional<Bytes> special, author, kind;
  std::vector<std::string> relays;
};

std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void keep(Fields& fields, std::uint8_t type, Bytes value) {
  const auto keep_first = [&](std::optional<Bytes>& field) {
    if (!field) field = value;
  };
  if (type == kSpecial) keep_first(fields.special);
  if (type == kRelay) fields.relays.push_back(text_of(value));
  if (type == kAuthor) keep_first(fields.author);
  if (type == kKind) keep_first(fields.kind);
}

// nullopt when a length points beyond the end.
std::optional<Fields> split(Bytes bytes) {
  Fields fields;
  while (!bytes.empty()) {
    if (bytes.size() < 2 || bytes.size() - 2 < bytes[1]) return std::nullopt;
    keep(fields, bytes[0], bytes.subspan(2, bytes[1]));
    bytes = bytes.subspan(2u + bytes[1]);
  }
  return fields;
}

template <class Fixed>
std::optional<Fixed> fixed(Bytes bytes) {
  if (bytes.size() != Fixed::kSize) return std::nullopt;
  return Fixed::from_span(bytes.first<Fixed::kSize>());
}

std::optional<std::uint32_t> kind_number(Bytes bytes) {
  if (bytes.size() != kKindBytes) return std::nullopt;
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

template <class Fixed>
Decoded decode_bare(Bytes bytes) {
  const auto value = fixed<Fixed>(bytes);
  if (!value) return core::Failure{BadEntity::WrongLength};
  return Entity(*value);
}

Decoded decode_secret(std::vector<std::uint8_t>& bytes) {
  SecretKey::Bytes secret{};
  const bool fits = bytes.size() == secret.size();
  if (fits) std::copy(bytes.begin(), bytes.end(), secret.begin());
  wipe(bytes);
  const SecretKey key(secret);
  wipe(secret);
  if (!fits) return core::Failure{BadEntity::WrongLength};
  return Entity(key);
}

Decoded decode_profile(Fields fields) {
  if (!fields.special) return core::Failure{BadEntity::MissingField};
  const auto pubkey = fixed<PublicKey>(*fields.special);
  if (!pubkey) return core::Failure{BadEntity::WrongLength};
  return Entity(Profile{*pubkey, std::move(fields.relays)});
}

Decoded decode_event(Fields fields) {
  if (!fields.special) return core::Failure{BadEntity::MissingField};
  const auto id = fixed<EventId>(*fields.special);
  if (!id) return core::Failure{BadEntity::WrongLength};
  EventPointer pointer{*id, std::move(fields.relays), {}, {}};
  if (fields.author) pointer.author = fixed<PublicKey>(*fields.author);
  if (fields.kind) pointer.kind = kind_number(*fields.kind);
  if (fields.author.has_value() != pointer.author.has_value() ||
      fields.kind.has_value() != pointer.kind.has_value()) {
    return core::Failure{BadEntity::WrongLength};
  }
  return Entity(std::move(pointer));
}

Decoded decode_address(Fields fields) {
  if (!fields.special || !fields.author || !fields.kind) {
    return core::Failure{BadEntity::MissingField};
  }
  const auto pubkey = fixed<PublicKey>(*fields.author);
  const auto kind = kind_number(*fields.kind);
  if (!pubkey || !kind) return core::Failure{BadEntity::WrongLength};
  Address address{Kind{static_cast<std::uint16_t>(*kind)}, *pubkey, text_of(*fields.special)};
  if (*kind != address.kind.value || !is_possible(address)) {
    return core::Failure{BadEntity::ImpossibleAddress};
  }
  return Entity(AddressPointer{std::move(address), std::move(fields.relays)});
}

Decoded decode_fields(Bytes bytes, Decoded (*decode_entity)(Fields)) {
  auto fields = split(bytes);
  if (!fields) return core::Failure{BadEntity::WrongLength};
  return decode_entity(*std::move(fields));
}

BadEntity from(bech32::Bad bad) {
  switch (bad) {
    case bech32::Bad::TooLong:
      return BadEntity::TooLong;
    case bech32::Bad::NotBech32:
      return BadEntity::NotBech32;
    case bech32::Bad::Checksum:
      break;
  }
  return BadEntity::Checksum;
}

void append_field(std::vector<std::uint8_t>& out, FieldType type, Bytes value) {
  out.push_back(type);
  out.push_back(static_cast<std::uint8_t>(value.size()));
  out.insert(out.end(), value.begin(), value.end());
}

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void append_kind(std::vector<std::uint8_t>& out, std::uint32_t kind) {
  const std::array<std::uint8_t, kKindBytes> bytes = {
      static_cast<std::uint8_t>(kind >> 24), static_cast<std::uint8_t>(kind >> 16),
      static_cast<std::uint8_t>(kind >> 8), static_cast<std::uint8_t>(kind)};
  append_field(out, kKind, bytes);
}

// Last, so that what must be there has its space.
void append_relays(std::vector<std::uint8_t>& out, const std::vector<std::string>& relays) {
  for (const auto& relay : relays) {
    const bool fits = out.size() + 2 + relay.size() <= kPayloadBytesMax;
    if (relay.size() <= kFieldBytesMax && fits) append_field(out, kRelay, bytes_of(relay));
  }
}

template <class Wanted>
std::optional<Wanted> parse_as(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  auto entity = decode(text);
  if (!entity) return std::nullopt;
  auto* wanted = std::get_if<Wanted>(&*entity);
  return wanted ? std::optional<Wanted>(*wanted) : std::nullopt;
}

}  // namespace

std::string_view describe(BadEntity reason) {
  switch (reason) {
    case BadEntity::TooLong:
      return "longer than 5000 characters";
    case BadEntity::NotBech32:
      return "not bech32 text";
    case BadEntity::Checksum:
      return "the checksum is wrong: a character was lost or changed";
    case BadEntity::UnknownPrefix:
      return "none of npub, nsec, note, nprofile, nevent, naddr";
    case BadEntity::WrongLength:
      return "a part has the wrong length";
    case BadEntity::MissingField:
      return "a part is missing";
    case BadEntity::ImpossibleAddress:
      break;
  }
  return "no event can have this address";
}

core::Result<Entity, BadEntity> decode(std::string_view text) {
  auto decoded = bech32::decode(text);
  if (!decoded) return core::Failure{from(decoded.error())};
  const std::string& prefix = decoded->prefix;
  if (prefix == "npub") return decode_bare<PublicKey>(decoded->bytes);
  if (prefix == "nsec") return decode_secret(decoded->bytes);
  if (prefix == "note") return decode_bare<EventId>(decoded->bytes);
  if (prefix == "nprofile") return decode_fields(decoded->bytes, decode_profile);
  if (prefix == "nevent") return decode_fields(decoded->bytes, decode_event);
  if (prefix == "naddr") return decode_fields(decoded->bytes, decode_address);
  return core::Failure{BadEntity::UnknownPrefix};
}

std::optional<PublicKey> parse_npub(std::string_view text) {
  return parse_as<PublicKey>(text, "npub1");
}
std::optional<SecretKey> parse_nsec(std::string_view text) {
  return parse_as<SecretKey>(text, "nsec1");
}

std::string npub(const PublicKey& key) { return bech32::encode("npub", key.bytes()); }
std::string nsec(const SecretKey& key) { return bech32::encode("nsec", key.bytes()); }
std::string note(const EventId& id) { return bech32::encode("note", id.bytes()); }

std::string encode(const Profile& profile) {
  std::vector<std::uint8_t> payload;
  append_field(payload, kSpecial, profile.pubkey.bytes());
  append_relays(payload, profile.relays);
  return bech32::encode("nprofile", payload);
}

std::string encode(const EventPointer& pointer) {
  std::vector<std::uint8_t> payload;
  append_field(payload, kSpecial, pointer.id.bytes());
  if (pointer.author) append_field(payload, kAuthor, pointer.author->bytes());
  if (pointer.kind) append_kind(payload, *pointer.kind);
  append_relays(payload, pointer.relays);
  return bech32::encode("nevent", payload);
}

std::optional<std::string> encode(const AddressPointer& pointer) {
  if (pointer.address.identifier.size() > kFieldBytesMax) return std::nullopt;
  std::vector<std::uint8_t> payload;
  append_field(payload, kSpecial, bytes_of(pointer.address.identifier));
  append_field(payload, kAuthor, pointer.address.pubkey.bytes());
  append_kind(payload, pointer.address.kind.value);
  append_relays(payload, pointer.relays);
  return bech32::encode("naddr", payload);
}

}  // namespace graspd::nostr::nip19
