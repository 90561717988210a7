#include "nostr/message.h"

#include <charconv>
#include <span>

#include "nostr/serialize.h"

namespace graspd::nostr::relay_says {
namespace {

// `["VERB","subject`: what all messages begin with.
std::string begin(std::string_view verb, std::string_view subject) {
  std::string out;
  out.reserve(verb.size() + subject.size() + 128);
  out += "[\"";
  out += verb;
  out += "\",";
  append_json_string(out, subject);
  return out;
}

void add_string(std::string& out, std::string_view text) {
  out += ',';
  append_json_string(out, text);
}

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::span<const std::uint8_t> bytes_of(std::string_view binary) {
  return {reinterpret_cast<const std::uint8_t*>(binary.data()), binary.size()};
}

std::string with_text(std::string_view verb, std::string_view subject, std::string_view text) {
  std::string out = begin(verb, subject);
  add_string(out, text);
  out += ']';
  return out;
}

}  // namespace

std::string event(std::string_view subscription, std::string_view event_json) {
  std::string out;
  append_event(out, subscription, event_json);
  return out;
}

void append_event(std::string& out, std::string_view subscription, std::string_view event_json) {
  constexpr std::size_t kAround = 16;
  out.reserve(out.size() + subscription.size() + event_json.size() + kAround);
  out += "[\"EVENT\",";
  append_json_string(out, subscription);
  out += ',';
  out += event_json;
  out += ']';
}

std::string ok(const EventId& id, bool accepted, std::string_view text) {
  return ok(id.hex(), accepted, text);
}

std::string ok(std::string_view id_as_written, bool accepted, std::string_view text) {
  std::string out = begin("OK", id_as_written);
  out += accepted ? ",true" : ",false";
  add_string(out, text);
  out += ']';
  return out;
}

std::string eose(std::string_view subscription, Completeness completeness) {
  std::string out = begin("EOSE", subscription);
  switch (completeness) {
    case Completeness::Unknown:
      break;
    case Completeness::Finished:
      out += ",[\"finish\"]";
      break;
    case Completeness::More:
      out += ",[\"more\"]";
      break;
  }
  out += ']';
  return out;
}

std::string closed(std::string_view subscription, std::string_view text) {
  return with_text("CLOSED", subscription, text);
}

std::string notice(std::string_view text) { return begin("NOTICE", text) + ']'; }

std::string auth(std::string_view challenge) { return begin("AUTH", challenge) + ']'; }

std::string count(std::string_view subscription, std::uint64_t count, std::string_view hll_hex) {
  std::string out = begin("COUNT", subscription);
  out += ",{\"count\":";
  append_number(out, count);
  if (!hll_hex.empty()) {
    out += ",\"hll\":";
    append_json_string(out, hll_hex);
  }
  out += "}]";
  return out;
}

std::string neg_message(std::string_view subscription, std::string_view binary) {
  std::string out = begin("NEG-MSG", subscription);
  out.reserve(out.size() + 2 * binary.size() + 4);
  out += ",\"";
  core::append_hex(out, bytes_of(binary));
  out += "\"]";
  return out;
}

std::string neg_error(std::string_view subscription, std::string_view text,
                      std::optional<std::uint64_t> cap) {
  std::string out = begin("NEG-ERR", subscription);
  add_string(out, text);
  if (cap) {
    out += ',';
    append_number(out, *cap);
  }
  out += ']';
  return out;
}

}  // namespace graspd::nostr::relay_says
