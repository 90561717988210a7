// The bytes of index keys and entries. Pure.
//
//   R1  Bytes compare like the values: numbers are big-endian and created_at is inverted, so that
//       a forward walk of an index yields the order of Q1 of store/event_store.h.
//   R2  An entry contains created_at, id, kind, serial and whether the event expires: most queries
//       are answered without the event.
//   R3  Texts of any length are keyed by their hash, which is long enough that nobody finds two
//       texts with the same key: what is found under a key needs no second check.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "nostr/keys.h"
#include "nostr/kind.h"
#include "store/event_store.h"

namespace graspd::lmdb {

using Bytes = std::span<const std::uint8_t>;

// [~created_at 8][id 32][kind 2][expires 1 bit, serial 47 bits]
using EntryBytes = std::array<std::uint8_t, 48>;
constexpr std::size_t kPositionSize = 40;
constexpr store::Serial kExpiresBit = store::Serial{1} << 47;
constexpr store::Serial kSerialMax = kExpiresBit - 1;

struct Entry {
  store::Position position;
  nostr::Kind kind;
  bool expires = false;
  store::Serial serial = 0;
  bool operator==(const Entry&) const = default;
};
EntryBytes encode(const Entry& entry);
Entry decode(const EntryBytes& bytes);

// Numbers as bytes that compare as the numbers do. Not a loop over bytes: compilers leave it one,
// and these are called for every entry of a scan.
static_assert(std::endian::native == std::endian::little);
template <std::size_t Size>
void store_big(std::uint8_t* out, std::uint64_t value) {
  const std::uint64_t turned = __builtin_bswap64(value << 8 * (sizeof value - Size));
  std::memcpy(out, &turned, Size);
}
template <std::size_t Size>
std::uint64_t load_big(const std::uint8_t* in) {
  std::uint64_t turned = 0;
  std::memcpy(&turned, in, Size);
  return __builtin_bswap64(turned) >> 8 * (sizeof turned - Size);
}
// Times before 1970 come first, as they should.
inline std::uint64_t ordered(core::UnixSeconds time) {
  return static_cast<std::uint64_t>(time) ^ std::uint64_t{1} << 63;
}
inline core::UnixSeconds time_from(std::uint64_t value) {
  return static_cast<core::UnixSeconds>(value ^ std::uint64_t{1} << 63);
}

// Parts of an entry, for loops over millions of them.
inline core::UnixSeconds created_at_of(const EntryBytes& bytes) {
  return time_from(~load_big<8>(bytes.data()));
}
inline nostr::EventId id_of(const EntryBytes& bytes) {
  return nostr::EventId::from_span(Bytes(bytes).subspan<8, 32>());
}
inline nostr::Kind kind_of(const EntryBytes& bytes) {
  return {static_cast<std::uint16_t>(load_big<8>(bytes.data() + kPositionSize) >> 48)};
}
inline bool expires(const EntryBytes& bytes) {
  return (load_big<8>(bytes.data() + kPositionSize) & kExpiresBit) != 0;
}
inline store::Serial serial_of(const EntryBytes& bytes) {
  return load_big<8>(bytes.data() + kPositionSize) & kSerialMax;
}
inline store::Position position_of(const EntryBytes& bytes) {
  return {created_at_of(bytes), id_of(bytes)};
}
inline int compare_positions(const EntryBytes& a, const EntryBytes& b) {
  return std::memcmp(a.data(), b.data(), kPositionSize);
}

// Where to start looking: before every entry of this time or older, behind one position.
EntryBytes first_at(core::UnixSeconds created_at);
EntryBytes just_behind(const store::Position& position);

// An entry without its id, which is the key it is kept under.
using EntryWithoutId = std::array<std::uint8_t, 16>;
EntryWithoutId without_id(const EntryBytes& bytes);
EntryBytes with_id(const EntryWithoutId& rest, const nostr::EventId& id);

// A key of any index; short enough to be copied about.
struct Key {
  std::array<std::uint8_t, 64> bytes{};
  std::uint8_t size = 0;

  Bytes view() const { return {bytes.data(), size}; }
  bool operator==(const Key& other) const { return compare(other) == 0; }
  bool operator<(const Key& other) const { return compare(other) < 0; }
  int compare(const Key& other) const;
};

Key time_key();
Key kind_key(nostr::Kind kind);
Key author_kind_key(const nostr::PublicKey& author, nostr::Kind kind);
nostr::Kind kind_of_author_kind_key(Bytes key);
Key tag_key(char letter, std::string_view value);
Key address_key(nostr::Kind kind, const nostr::PublicKey& author, std::string_view identifier);
Key deleted_id_key(const nostr::EventId& id, const nostr::PublicKey& author);
Key expiration_key(core::UnixSeconds time, store::Serial serial);
struct ExpirationKey {
  core::UnixSeconds time = 0;
  store::Serial serial = 0;
};
ExpirationKey decode_expiration_key(Bytes key);

}  // namespace graspd::lmdb
