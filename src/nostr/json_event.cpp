#include <array>

#include "nostr/json_reading.h"

namespace graspd::nostr::json {
namespace {

// JavaScript's largest exact integer: a time beyond it cannot come back from a client unchanged.
constexpr std::uint64_t kTimeMax = std::uint64_t{1} << 53;

enum Member : unsigned { Id, Pubkey, CreatedAt, KindNumber, TagRows, Content, Sig, kMembers };
constexpr std::array<std::string_view, kMembers> kNames = {"id",   "pubkey",  "created_at", "kind",
                                                           "tags", "content", "sig"};
constexpr unsigned kAllSeen = (1U << kMembers) - 1;

constexpr std::string_view kTagsAreStrings = "invalid: tags must be arrays of strings";

unsigned member_named(std::string_view name) {
  unsigned member = 0;
  while (member < kMembers && kNames[member] != name) ++member;
  return member;
}

std::string about(unsigned member, std::string_view complaint) {
  return "invalid: " + std::string(kNames[member]) + std::string(complaint);
}

template <class Bytes>
bool read_hex(Reading& reading, ondemand::value& value, Member member, Bytes& out) {
  const auto text = string_of(reading, value);
  const auto bytes = text ? Bytes::from_hex(*text) : std::nullopt;
  if (!bytes) {
    constexpr std::string_view kLength = Bytes::kSize == 32 ? "64" : "128";
    return reading.refuse(
        about(member, " must be " + std::string(kLength) + " lower-case hex digits"));
  }
  out = *bytes;
  return true;
}

bool read_created_at(Reading& reading, ondemand::value& value, core::UnixSeconds& out) {
  const auto number = integer_of(value);
  if (!number || number->negative) {
    return reading.refuse("invalid: created_at must be a non-negative integer");
  }
  if (number->magnitude > kTimeMax) return reading.refuse("invalid: created_at is too large");
  out = static_cast<core::UnixSeconds>(number->magnitude);
  return true;
}

bool read_kind(Reading& reading, ondemand::value& value, Kind& out) {
  const auto number = integer_of(value);
  if (!number || number->negative || number->magnitude > kKindMax) {
    return reading.refuse("invalid: kind must be an integer from 0 to 65535");
  }
  out.value = static_cast<std::uint16_t>(number->magnitude);
  return true;
}

bool read_row(Reading& reading, ondemand::value& value) {
  ondemand::array items;
  if (value.get_array().get(items)) return reading.refuse(kTagsAreStrings);
  reading.tags.begin_row();
  for (auto item : items) {
    ondemand::value inner;
    if (item.get(inner)) return reading.refuse(kMalformed);
    const auto text = string_of(reading, inner);
    if (!text) return reading.refuse(kTagsAreStrings);
    reading.tags.append(*text);
  }
  return true;
}

bool read_tags(Reading& reading, ondemand::value& value, Tags& out) {
  ondemand::array rows;
  if (value.get_array().get(rows)) {
    return reading.refuse("invalid: tags must be an array of arrays");
  }
  reading.tags.clear();
  for (auto row : rows) {
    ondemand::value inner;
    if (row.get(inner)) return reading.refuse(kMalformed);
    if (!read_row(reading, inner)) return false;
  }
  out = reading.tags;
  return true;
}

bool read_content(Reading& reading, ondemand::value& value, std::string& out) {
  const auto text = string_of(reading, value);
  if (!text) return reading.refuse("invalid: content must be a string of valid characters");
  out = *text;
  return true;
}

bool read_member(Reading& reading, unsigned member, ondemand::value& value, Event& out) {
  switch (member) {
    case Id:
      return read_hex(reading, value, Id, out.id);
    case Pubkey:
      return read_hex(reading, value, Pubkey, out.pubkey);
    case CreatedAt:
      return read_created_at(reading, value, out.created_at);
    case KindNumber:
      return read_kind(reading, value, out.kind);
    case TagRows:
      return read_tags(reading, value, out.tags);
    case Content:
      return read_content(reading, value, out.content);
    case Sig:
      return read_hex(reading, value, Sig, out.sig);
    default:
      return skip(reading, value, kIgnoredDepthMax);
  }
}

// Reads every member there is; false also when one of `needed` is missing.
bool read_members(Reading& reading, ondemand::object& members, unsigned needed, unsigned& seen,
                  Event& out) {
  for (auto entry : members) {
    ondemand::field field;
    if (std::move(entry).get(field)) return reading.refuse(kMalformed);
    const auto name = key_of(reading, field);
    if (!name) return reading.refuse(kMalformed);
    const unsigned member = member_named(*name);
    const unsigned bit = member < kMembers ? 1U << member : 0;
    if ((seen & bit) != 0) return reading.refuse(about(member, " is there twice"));
    seen |= bit;
    if (!read_member(reading, member, field.value(), out)) return false;
  }
  for (unsigned member = 0; (seen & needed) != needed && member < kMembers; ++member) {
    if ((needed & ~seen & 1U << member) != 0) return reading.refuse(about(member, " is missing"));
  }
  return true;
}

}  // namespace

bool read_event(Reading& reading, ondemand::value& value, Event& out) {
  ondemand::object members;
  if (value.get_object().get(members)) return reading.refuse("invalid: event must be an object");
  return read_event_members(reading, members, out);
}

bool read_event_members(Reading& reading, ondemand::object& members, Event& out) {
  unsigned seen = 0;
  return read_members(reading, members, kAllSeen, seen, out);
}

bool read_draft_members(Reading& reading, ondemand::object& members, Draft& out) {
  unsigned seen = 0;
  Event event;
  if (!read_members(reading, members, 1U << KindNumber, seen, event)) return false;
  out.kind = event.kind;
  out.tags = std::move(event.tags);
  out.content = std::move(event.content);
  if ((seen & 1U << CreatedAt) != 0) out.created_at = event.created_at;
  if ((seen & 1U << Pubkey) != 0) out.pubkey = event.pubkey;
  return true;
}

}  // namespace graspd::nostr::json
