#include "nostr/relay_message.h"

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

}  // namespace

std::string event(std::string_view event_json) { return with_json("EVENT", event_json); }
std::string auth(std::string_view event_json) { return with_json("AUTH", event_json); }

std::string req(std::string_view subscription, std::string_view filter_json) {
  return with_json("REQ", quoted(subscription) + ',' + std::string(filter_json));
}

std::string close(std::string_view subscription) {
  return with_json("CLOSE", quoted(subscription));
}

}  // namespace graspd::nostr::client_says
