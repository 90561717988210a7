// Strict reading on top of simdjson's On Demand cursor. For json*.cpp, and for the importer, which
// reads another server's files.
//
// Before anything here runs, simdjson has checked the whole text for UTF-8, for closed quotes and
// for bare control characters in strings. The rest is checked while walking, so:
//
//   R1  Every value is read as what it must be, or skip()ped with a look at all of it. The
//       cursor's own way of skipping would let any nonsense between brackets pass.
//   R2  After the first failure nothing more is read: the cursor is of no use then.
#pragma once
#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>

#include "nostr/json.h"
#include "nostr/tags.h"

namespace graspd::nostr::json {

namespace ondemand = simdjson::ondemand;

inline constexpr std::uint64_t kKindMax = 65'535;

inline constexpr std::string_view kMalformed = "invalid: malformed JSON";

// Nothing in Nostr nests deeper; what is ignored need not be deeper than what is read.
inline constexpr unsigned kIgnoredDepthMax = 8;

// What is kept while one text is read, and its memory from one text to the next.
struct Reading {
  std::string unescaped;  // the last string that had escapes
  Tags tags;              // collected here, so that the event's own copy is of the right size
  std::string why;        // set by whatever returned false
  // Of the filter read last: the first item of its first tag condition, as NIP-45 wants it.
  std::optional<std::string> first_tag_item;
  std::size_t memory_left = 0;  // for filters and the values in them

  [[nodiscard]] bool refuse(std::string_view reason) {
    why = reason;
    return false;
  }
  [[nodiscard]] bool afford(std::size_t bytes) {
    if (bytes > memory_left) return refuse("blocked: the filters have too many values");
    memory_left -= bytes;
    return true;
  }
};

// The characters of a string; good until the next string is read. nullopt for other types and
// for escapes that stand for no character.
std::optional<std::string_view> string_of(Reading& reading, ondemand::value& value);
std::optional<std::string_view> key_of(Reading& reading, ondemand::field& field);

// An integer of any size as JSON writes it: 12, -7, 0; neither 1.0 nor 1e3.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;  // stops at the largest
};
std::optional<Integer> integer_of(ondemand::value& value);

// Nothing follows the value that was read last.
inline bool at_end(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

// Checks a value that is of no interest.
[[nodiscard]] bool skip(Reading& reading, ondemand::value& value, unsigned depth_left);

[[nodiscard]] bool read_event(Reading& reading, ondemand::value& value, Event& out);
[[nodiscard]] bool read_event_members(Reading& reading, ondemand::object& members, Event& out);
[[nodiscard]] bool read_draft_members(Reading& reading, ondemand::object& members, Draft& out);

[[nodiscard]] bool read_filter(Reading& reading, ondemand::value& value, Filter& out);
[[nodiscard]] bool read_filter_members(Reading& reading, ondemand::object& members, Filter& out);

}  // namespace graspd::nostr::json

namespace graspd::nostr {

struct JsonReader::Buffers {
  json::Reading reading;
  std::string padded;
  json::ondemand::parser parser;

  // False when the text is no JSON at all.
  [[nodiscard]] bool open(std::string_view text, json::ondemand::document& document);
  [[nodiscard]] bool open_again(json::ondemand::document& document);
  // One enormous message must not be remembered for ever.
  void shrink();
};

}  // namespace graspd::nostr
