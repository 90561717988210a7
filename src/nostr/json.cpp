#include "nostr/json.h"

#include <bit>

#include "nostr/json_reading.h"

namespace graspd::nostr {
namespace {

// Memory kept between texts. Most messages are far smaller; larger ones pay for their own.
constexpr std::size_t kKeptBytesMax = 1 << 20;
constexpr std::size_t kCapacityMin = 1 << 12;

// What filters may take beside the text of their values (R5). Hex digits take half of their text,
// so only who sends many tiny values comes near.
constexpr std::size_t kMemoryPerByte = 4;
constexpr std::size_t kMemoryMin = 1 << 20;

using Members = json::ondemand::object;

// A text that is one object and nothing else.
template <class T>
core::Result<T, std::string> read_object(JsonReader::Buffers& buffers, std::string_view text,
                                         bool (*read)(json::Reading&, Members&, T&),
                                         std::string_view not_an_object) {
  json::ondemand::document document;
  Members members;
  if (!buffers.open(text, document)) return core::Failure{std::string(json::kMalformed)};
  if (const auto error = document.get_object().get(members)) {
    const bool is_other_type = error == simdjson::INCORRECT_TYPE;
    return core::Failure{std::string(is_other_type ? not_an_object : json::kMalformed)};
  }
  T value;
  if (!read(buffers.reading, members, value)) return core::Failure{buffers.reading.why};
  if (!json::at_end(document)) return core::Failure{std::string(json::kMalformed)};
  return value;
}

}  // namespace

bool JsonReader::Buffers::open(std::string_view text, json::ondemand::document& document) {
  padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(text);
  padded.append(simdjson::SIMDJSON_PADDING, '\0');
  reading.memory_left = std::max(kMemoryMin, kMemoryPerByte * text.size());
  if (parser.capacity() < text.size()) {
    const std::size_t capacity = std::bit_ceil(std::max(text.size(), kCapacityMin));
    if (parser.allocate(capacity, parser.max_depth())) return false;
  }
  return open_again(document);
}

bool JsonReader::Buffers::open_again(json::ondemand::document& document) {
  const std::size_t size = padded.size() - simdjson::SIMDJSON_PADDING;
  return !parser.iterate(padded.data(), size, padded.size()).get(document);
}

void JsonReader::Buffers::shrink() {
  if (padded.capacity() > kKeptBytesMax) *this = Buffers();
}

JsonReader::JsonReader() : buffers_(std::make_unique<Buffers>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

core::Result<Event, std::string> JsonReader::event(std::string_view text) {
  auto result = read_object<Event>(*buffers_, text, json::read_event_members,
                                   "invalid: event must be an object");
  buffers_->shrink();
  return result;
}

core::Result<Filter, std::string> JsonReader::filter(std::string_view text) {
  auto result = read_object<Filter>(*buffers_, text, json::read_filter_members,
                                    "invalid: filter must be an object");
  buffers_->shrink();
  return result;
}

core::Result<Draft, std::string> JsonReader::draft(std::string_view text) {
  auto result = read_object<Draft>(*buffers_, text, json::read_draft_members,
                                   "invalid: event must be an object");
  buffers_->shrink();
  return result;
}

}  // namespace graspd::nostr
