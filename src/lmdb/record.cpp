#include "lmdb/record.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace graspd::lmdb {
namespace {

// What every record begins with. Only ever copied in and out: records are not aligned.
struct Header {
  core::UnixSeconds created_at = 0;
  core::UnixSeconds expiration = 0;
  nostr::PublicKey::Bytes pubkey{};
  nostr::EventId::Bytes id{};
  std::uint16_t kind = 0;
  std::uint16_t bare_identifier = 0;  // the first `d` tag has no value: later ones do not count
  std::uint32_t tags_size = 0;
};
static_assert(sizeof(Header) == 88);
constexpr std::size_t kTagHeadSize = 5;  // letter 1, length 4

Header header_of(Bytes record) {
  Header header;
  std::memcpy(&header, record.data(), sizeof header);
  return header;
}

template <class T>
T load(Bytes record, std::size_t offset) {
  T value;
  std::memcpy(&value, record.data() + offset, sizeof value);
  return value;
}

std::uint32_t tag_length(Bytes rest) { return load<std::uint32_t>(rest, 1); }

void append_tag(std::vector<std::uint8_t>& out, char letter, std::string_view value) {
  const auto length = static_cast<std::uint32_t>(value.size());
  std::uint8_t head[kTagHeadSize];
  head[0] = static_cast<std::uint8_t>(letter);
  std::memcpy(head + 1, &length, sizeof length);
  out.insert(out.end(), head, head + kTagHeadSize);
  out.insert(out.end(), value.begin(), value.end());
}

bool has_bare_identifier(const nostr::Tags& tags) {
  for (const nostr::Tag tag : tags) {
    if (tag.letter() == 'd') return tag.size() < 2;
  }
  return false;
}

}  // namespace

std::optional<RecordView> RecordView::parse(Bytes bytes) {
  if (bytes.size() < sizeof(Header)) return std::nullopt;
  const RecordView view(bytes);
  const std::size_t tags_size = header_of(bytes).tags_size;
  if (tags_size > bytes.size() - sizeof(Header) || !view.tags_are_whole()) return std::nullopt;
  return view;
}

bool RecordView::tags_are_whole() const {
  Bytes rest = tags();
  while (!rest.empty()) {
    if (rest.size() < kTagHeadSize || tag_length(rest) > rest.size() - kTagHeadSize) return false;
    rest = rest.subspan(kTagHeadSize + tag_length(rest));
  }
  return true;
}

core::UnixSeconds RecordView::created_at() const {
  return load<core::UnixSeconds>(bytes_, offsetof(Header, created_at));
}
core::UnixSeconds RecordView::expiration() const {
  return load<core::UnixSeconds>(bytes_, offsetof(Header, expiration));
}
nostr::PublicKey RecordView::pubkey() const {
  return nostr::PublicKey::from_span(bytes_.subspan<offsetof(Header, pubkey), 32>());
}
nostr::EventId RecordView::id() const {
  return nostr::EventId::from_span(bytes_.subspan<offsetof(Header, id), 32>());
}
nostr::Kind RecordView::kind() const {
  return {load<std::uint16_t>(bytes_, offsetof(Header, kind))};
}

Bytes RecordView::tags() const {
  return bytes_.subspan(sizeof(Header), load<std::uint32_t>(bytes_, offsetof(Header, tags_size)));
}

std::string_view RecordView::json() const {
  const Bytes rest = bytes_.subspan(sizeof(Header) + tags().size());
  return {reinterpret_cast<const char*>(rest.data()), rest.size()};
}

RecordView::TagView RecordView::first_tag(Bytes rest) {
  const std::uint32_t length = tag_length(rest);
  const auto* value = reinterpret_cast<const char*>(rest.data() + kTagHeadSize);
  return {static_cast<char>(rest[0]), {value, length}, kTagHeadSize + length};
}

std::string_view RecordView::identifier() const {
  if (header_of(bytes_).bare_identifier != 0) return {};
  std::string_view identifier;
  for_each_tag([&](char letter, std::string_view value) {
    if (letter == 'd') identifier = value;
    return letter != 'd';
  });
  return identifier;
}

bool RecordView::holds(const nostr::TagCondition& condition) const {
  bool found = false;
  for_each_tag([&](char letter, std::string_view value) {
    found =
        letter == condition.letter &&
        std::binary_search(condition.values.begin(), condition.values.end(), value, std::less<>());
    return !found;
  });
  return found;
}

bool RecordView::matches(const nostr::Filter& filter) const {
  const auto allows = [](const auto& list, const auto& value) {
    return !list || std::binary_search(list->begin(), list->end(), value);
  };
  if (filter.since && created_at() < *filter.since) return false;
  if (filter.until && created_at() > *filter.until) return false;
  if (!allows(filter.kinds, kind())) return false;
  if (filter.authors && !allows(filter.authors, pubkey())) return false;
  if (filter.ids && !allows(filter.ids, id())) return false;
  return std::all_of(filter.tags.begin(), filter.tags.end(),
                     [&](const nostr::TagCondition& condition) { return holds(condition); });
}

void encode_record(const nostr::WireEvent& wire, std::vector<std::uint8_t>& out) {
  const nostr::Event& event = wire.event;
  out.resize(sizeof(Header));
  for (const nostr::Tag tag : event.tags) {
    if (tag.letter() != 0 && tag.size() > 1) append_tag(out, tag.letter(), tag.value());
  }
  const Header header{event.created_at,
                      nostr::expiration(event).value_or(0),
                      event.pubkey.bytes(),
                      event.id.bytes(),
                      event.kind.value,
                      has_bare_identifier(event.tags),
                      static_cast<std::uint32_t>(out.size() - sizeof(Header))};
  std::memcpy(out.data(), &header, sizeof header);
  out.insert(out.end(), wire.json.begin(), wire.json.end());
}

Entry entry_of(const RecordView& record, store::Serial serial) {
  return {{record.created_at(), record.id()}, record.kind(), record.expiration() != 0, serial};
}

std::optional<Key> address_key_of(const RecordView& record) {
  switch (nostr::kind_class(record.kind())) {
    case nostr::KindClass::Replaceable:
      return address_key(record.kind(), record.pubkey(), {});
    case nostr::KindClass::Addressable:
      return address_key(record.kind(), record.pubkey(), record.identifier());
    case nostr::KindClass::Regular:
    case nostr::KindClass::Ephemeral:
      break;
  }
  return std::nullopt;
}

void placements_of(const RecordView& record, std::vector<Placement>& out) {
  out.clear();
  out.push_back({IndexName::Time, time_key()});
  out.push_back({IndexName::Kind, kind_key(record.kind())});
  out.push_back({IndexName::AuthorKind, author_kind_key(record.pubkey(), record.kind())});
  const auto tags_at = static_cast<std::ptrdiff_t>(out.size());
  record.for_each_tag([&](char letter, std::string_view value) {
    out.push_back({IndexName::Tag, tag_key(letter, value)});
    return true;
  });
  std::sort(out.begin() + tags_at, out.end(),
            [](const Placement& a, const Placement& b) { return a.key < b.key; });
  out.erase(std::unique(out.begin() + tags_at, out.end(),
                        [](const Placement& a, const Placement& b) { return a.key == b.key; }),
            out.end());
}

}  // namespace graspd::lmdb
