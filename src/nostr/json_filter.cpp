#include <algorithm>
#include <limits>

#include "core/ascii.h"
#include "nostr/json_reading.h"

namespace graspd::nostr::json {
namespace {

constexpr std::uint64_t kLastSecond = std::numeric_limits<core::UnixSeconds>::max();
constexpr std::size_t kShownNameMax = 64;

bool refuse_about(Reading& reading, std::string_view name, std::string_view complaint) {
  return reading.refuse("invalid: " + std::string(name) + std::string(complaint));
}

// Reads a list item by item; `add` says whether an item is what it should be.
template <class Item, class Add>
bool read_list(Reading& reading, ondemand::value& value, std::string_view name,
               std::string_view complaint, const Add& add) {
  ondemand::array items;
  if (value.get_array().get(items)) return refuse_about(reading, name, " must be a list");
  for (auto item : items) {
    ondemand::value inner;
    if (item.get(inner)) return reading.refuse(kMalformed);
    if (!reading.afford(sizeof(Item))) return false;
    if (!add(inner)) return refuse_about(reading, name, complaint);
  }
  return true;
}

template <class Bytes>
bool read_hex_list(Reading& reading, ondemand::value& value, std::string_view name,
                   std::optional<std::vector<Bytes>>& out) {
  if (out) return refuse_about(reading, name, " is there twice");
  out.emplace();
  return read_list<Bytes>(reading, value, name, " must be strings of 64 lower-case hex digits",
                          [&](ondemand::value& item) {
                            const auto text = string_of(reading, item);
                            const auto bytes = text ? Bytes::from_hex(*text) : std::nullopt;
                            if (bytes) out->push_back(*bytes);
                            return bytes.has_value();
                          });
}

bool read_kinds(Reading& reading, ondemand::value& value, std::optional<std::vector<Kind>>& out) {
  if (out) return refuse_about(reading, "kinds", " is there twice");
  out.emplace();
  return read_list<Kind>(reading, value, "kinds", " must be integers from 0 to 65535",
                         [&](ondemand::value& item) {
                           const auto number = integer_of(item);
                           if (!number || number->negative || number->magnitude > kKindMax)
                             return false;
                           out->push_back(Kind{static_cast<std::uint16_t>(number->magnitude)});
                           return true;
                         });
}

bool read_tag_condition(Reading& reading, ondemand::value& value, char letter, Filter& out) {
  const std::string name = {'#', letter};
  for (const TagCondition& other : out.tags) {
    if (other.letter == letter) return refuse_about(reading, name, " is there twice");
  }
  const bool is_first = out.tags.empty();
  TagCondition& condition = out.tags.emplace_back();
  condition.letter = letter;
  if (!read_list<std::string>(reading, value, name, " must be strings", [&](ondemand::value& item) {
        const auto text = string_of(reading, item);
        if (text) condition.values.emplace_back(*text);
        return text.has_value();
      })) {
    return false;
  }
  if (is_first && !condition.values.empty()) reading.first_tag_item = condition.values.front();
  return true;
}

bool read_time(Reading& reading, ondemand::value& value, std::string_view name,
               std::optional<core::UnixSeconds>& out) {
  if (out) return refuse_about(reading, name, " is there twice");
  const auto number = integer_of(value);
  if (!number) return refuse_about(reading, name, " must be an integer");
  const auto seconds = static_cast<core::UnixSeconds>(std::min(number->magnitude, kLastSecond));
  out = number->negative ? -seconds : seconds;
  return true;
}

// Nothing is older than 1970, so an earlier start says no more than that one.
bool read_since(Reading& reading, ondemand::value& value, Filter& out) {
  if (!read_time(reading, value, "since", out.since)) return false;
  out.since = std::max<core::UnixSeconds>(*out.since, 0);
  return true;
}

bool read_limit(Reading& reading, ondemand::value& value, std::optional<std::uint64_t>& out) {
  if (out) return refuse_about(reading, "limit", " is there twice");
  const auto number = integer_of(value);
  if (!number || number->negative) {
    return refuse_about(reading, "limit", " must be a non-negative integer");
  }
  out = number->magnitude;
  return true;
}

bool refuse_unknown(Reading& reading, std::string_view name) {
  std::string shown(name.substr(0, kShownNameMax));
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return c <= ' ' || c > '~' || c == '"' || c == '\\'; }, '?');
  return reading.refuse("unsupported: filter contains unknown elements: " + shown);
}

bool read_member(Reading& reading, std::string_view name, ondemand::value& value, Filter& out) {
  if (name.size() == 2 && name[0] == '#' && core::is_letter(name[1])) {
    return read_tag_condition(reading, value, name[1], out);
  }
  if (name == "ids") return read_hex_list(reading, value, "ids", out.ids);
  if (name == "authors") return read_hex_list(reading, value, "authors", out.authors);
  if (name == "kinds") return read_kinds(reading, value, out.kinds);
  if (name == "since") return read_since(reading, value, out);
  if (name == "until") return read_time(reading, value, "until", out.until);
  if (name == "limit") return read_limit(reading, value, out.limit);
  return refuse_unknown(reading, name);
}

}  // namespace

bool read_filter(Reading& reading, ondemand::value& value, Filter& out) {
  ondemand::object members;
  if (value.get_object().get(members)) return reading.refuse("invalid: filter must be an object");
  return read_filter_members(reading, members, out);
}

bool read_filter_members(Reading& reading, ondemand::object& members, Filter& out) {
  reading.first_tag_item.reset();
  for (auto entry : members) {
    ondemand::field field;
    if (std::move(entry).get(field)) return reading.refuse(kMalformed);
    const auto name = key_of(reading, field);
    if (!name) return reading.refuse(kMalformed);
    if (!read_member(reading, *name, field.value(), out)) return false;
  }
  normalise(out);
  return true;
}

}  // namespace graspd::nostr::json
