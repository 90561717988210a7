#include "nostr/filter_json.h"

#include "nostr/json_writer.h"

namespace graspd::nostr {
namespace {

void put_hex_list(JsonWriter& json, std::string_view name, const auto& values) {
  json.key(name).open('[');
  for (const auto& value : values) json.put(value.hex());
  json.close(']');
}

}  // namespace

void append_json(std::string& out, const Filter& filter) {
  JsonWriter json(out);
  json.open('{');
  if (filter.ids) put_hex_list(json, "ids", *filter.ids);
  if (filter.authors) put_hex_list(json, "authors", *filter.authors);
  if (filter.kinds) {
    json.key("kinds").open('[');
    for (const Kind kind : *filter.kinds) json.put(kind.value);
    json.close(']');
  }
  for (const TagCondition& tag : filter.tags)
    json.key(std::string("#") + tag.letter).list(tag.values);
  if (filter.since) json.field("since", *filter.since);
  if (filter.until) json.field("until", *filter.until);
  if (filter.limit) json.field("limit", *filter.limit);
  json.close('}');
}

std::string to_json(const Filter& filter) {
  std::string out;
  append_json(out, filter);
  return out;
}

}  // namespace graspd::nostr
