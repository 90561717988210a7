#include "nostr/relay_message.h"

#include "core/hex.h"
#include "nostr/filter_json.h"
#include "nostr/serialize.h"

namespace graspd::nostr::client_says {
namespace {

std::string with_json(std::string_view type, std::string_view json) {
  std::string out = "[\"";
  out += type;
  out += "\",";
  out += json;
  out += ']';
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string hex_of(std::string_view binary) {
  return core::encode_hex(
      std::span(reinterpret_cast<const std::uint8_t*>(binary.data()), binary.size()));
}

}  // namespace

std::string event(std::string_view event_json) { return with_json("EVENT", event_json); }
std::string auth(std::string_view event_json) { return with_json("AUTH", event_json); }

std::string req(std::string_view subscription, std::string_view filter_json) {
  return with_json("REQ", quoted(subscription) + ',' + std::string(filter_json));
}

std::string req(std::string_view subscription, std::span<const Filter> filters) {
  std::string json;
  for (const Filter& filter : filters) {
    if (!json.empty()) json += ',';
    append_json(json, filter);
  }
  return req(subscription, json);
}

std::string close(std::string_view subscription) {
  return with_json("CLOSE", quoted(subscription));
}

std::string neg_open(std::string_view subscription, const Filter& filter, std::string_view binary) {
  std::string json = quoted(subscription) + ',';
  append_json(json, filter);
  return with_json("NEG-OPEN", json + ",\"" + hex_of(binary) + '"');
}

std::string neg_message(std::string_view subscription, std::string_view binary) {
  return with_json("NEG-MSG", quoted(subscription) + ",\"" + hex_of(binary) + '"');
}

std::string neg_close(std::string_view subscription) {
  return with_json("NEG-CLOSE", quoted(subscription));
}

}  // namespace graspd::nostr::client_says
