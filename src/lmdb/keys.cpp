#include "lmdb/keys.h"

#include <algorithm>

#include "core/sha256.h"

namespace graspd::lmdb {
namespace {

constexpr std::size_t kIdAt = 8, kKindAt = 40, kSerialAt = 42;
constexpr std::size_t kTagHashSize = 23, kIdentifierHashSize = 20;

void append(Key& key, Bytes bytes) {
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin() + key.size);
  key.size = static_cast<std::uint8_t>(key.size + bytes.size());
}
void append(Key& key, nostr::Kind kind) {
  store_big<2>(key.bytes.data() + key.size, kind.value);
  key.size = static_cast<std::uint8_t>(key.size + 2);
}

}  // namespace

EntryBytes encode(const Entry& entry) {
  EntryBytes bytes = first_at(entry.position.created_at);
  const auto& id = entry.position.id.bytes();
  std::copy(id.begin(), id.end(), bytes.begin() + kIdAt);
  store_big<2>(&bytes[kKindAt], entry.kind.value);
  store_big<6>(&bytes[kSerialAt], entry.serial | (entry.expires ? kExpiresBit : 0));
  return bytes;
}

Entry decode(const EntryBytes& bytes) {
  return {position_of(bytes), kind_of(bytes), expires(bytes), serial_of(bytes)};
}

EntryBytes first_at(core::UnixSeconds created_at) {
  EntryBytes bytes{};
  store_big<8>(bytes.data(), ~ordered(created_at));
  return bytes;
}

EntryBytes just_behind(const store::Position& position) {
  EntryBytes bytes = encode({position, {}, false, 0});
  std::fill(bytes.begin() + kPositionSize, bytes.end(), 0xff);
  return bytes;
}

EntryWithoutId without_id(const EntryBytes& bytes) {
  EntryWithoutId rest;
  std::copy_n(bytes.begin(), kIdAt, rest.begin());
  std::copy(bytes.begin() + kKindAt, bytes.end(), rest.begin() + kIdAt);
  return rest;
}

EntryBytes with_id(const EntryWithoutId& rest, const nostr::EventId& id) {
  EntryBytes bytes;
  std::copy_n(rest.begin(), kIdAt, bytes.begin());
  std::copy(id.bytes().begin(), id.bytes().end(), bytes.begin() + kIdAt);
  std::copy(rest.begin() + kIdAt, rest.end(), bytes.begin() + kKindAt);
  return bytes;
}

int Key::compare(const Key& other) const {
  const int order = std::memcmp(bytes.data(), other.bytes.data(), std::min(size, other.size));
  return order != 0 ? order : int{size} - int{other.size};
}

Key time_key() {
  Key key;
  key.size = 1;
  return key;
}

Key kind_key(nostr::Kind kind) {
  Key key;
  append(key, kind);
  return key;
}

Key author_kind_key(const nostr::PublicKey& author, nostr::Kind kind) {
  Key key;
  append(key, author.bytes());
  append(key, kind);
  return key;
}

nostr::Kind kind_of_author_kind_key(Bytes key) {
  return {static_cast<std::uint16_t>(load_big<2>(key.data() + nostr::PublicKey::kSize))};
}

Key tag_key(char letter, std::string_view value) {
  const core::Sha256 hash = core::sha256(value);
  Key key;
  key.bytes[0] = static_cast<std::uint8_t>(letter);
  key.size = 1;
  append(key, Bytes(hash).first(kTagHashSize));
  return key;
}

Key address_key(nostr::Kind kind, const nostr::PublicKey& author, std::string_view identifier) {
  const core::Sha256 hash = core::sha256(identifier);
  Key key;
  append(key, kind);
  append(key, author.bytes());
  append(key, Bytes(hash).first(kIdentifierHashSize));
  return key;
}

Key deleted_id_key(const nostr::EventId& id, const nostr::PublicKey& author) {
  Key key;
  append(key, id.bytes());
  append(key, author.bytes());
  return key;
}

Key expiration_key(core::UnixSeconds time, store::Serial serial) {
  Key key;
  store_big<8>(key.bytes.data(), ordered(time));
  store_big<8>(key.bytes.data() + 8, serial);
  key.size = 16;
  return key;
}

ExpirationKey decode_expiration_key(Bytes key) {
  return {time_from(load_big<8>(key.data())), load_big<8>(key.data() + 8)};
}

}  // namespace graspd::lmdb
