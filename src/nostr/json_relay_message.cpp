#include <array>

#include "nostr/json_reading.h"

namespace graspd::nostr {
namespace json {
namespace {

// Relays add what they like behind the elements we know; that is passed over.
class RelayMessageReader {
 public:
  RelayMessageReader(Reading& reading, ondemand::document& document)
      : reading_(reading), document_(document) {}

  [[nodiscard]] bool read(RelayMessage& out) {
    if (document_.get_array().get(array_) || array_.begin().get(at_) || array_.end().get(end_))
      return reading_.refuse("invalid: message must be an array");
    std::string type;
    if (!string(type)) return reading_.refuse("invalid: message must begin with its type");
    for (const auto& [known, read_rest] : kTypes) {
      if (known == type) return (this->*read_rest)(out) && rest();
    }
    out = relay_said::Unknown{std::move(type)};
    return rest();
  }

 private:
  using Rest = bool (RelayMessageReader::*)(RelayMessage&);

  bool matching(RelayMessage& out) {
    auto& said = out.emplace<relay_said::Matching>();
    ondemand::value value;
    if (!string(said.subscription)) return false;
    if (!next(value)) return reading_.refuse("invalid: event is missing");
    return read_event(reading_, value, said.event);
  }
  bool ok(RelayMessage& out) {
    auto& said = out.emplace<relay_said::Ok>();
    std::string id;
    if (!string(id)) return false;
    const auto known = EventId::from_hex(id);
    if (!known) return reading_.refuse("invalid: id must be 64 lower-case hex digits");
    said.id = *known;
    ondemand::value value;
    if (!next(value) || value.get_bool().get(said.accepted))
      return reading_.refuse("invalid: OK must say true or false");
    return optional_string(said.text);
  }
  bool end_of_stored(RelayMessage& out) {
    auto& said = out.emplace<relay_said::EndOfStored>();
    return string(said.subscription) && completeness(said.completeness);
  }
  // NIP-67: ["finish"] or ["more"] behind the subscription.
  bool completeness(Completeness& out) {
    ondemand::value value;
    if (!next(value)) return !failed_ || reading_.refuse(kMalformed);
    ondemand::array words;
    if (value.get_array().get(words)) return skip(reading_, value, kIgnoredDepthMax);
    for (auto word : words) {
      ondemand::value inner;
      if (word.get(inner)) return reading_.refuse(kMalformed);
      const auto text = string_of(reading_, inner);
      if (!text) return reading_.refuse("invalid: EOSE hints must be strings");
      if (*text == "finish") out = Completeness::Finished;
      if (*text == "more") out = Completeness::More;
    }
    return true;
  }
  bool closed(RelayMessage& out) {
    auto& said = out.emplace<relay_said::Closed>();
    return string(said.subscription) && optional_string(said.text);
  }
  bool notice(RelayMessage& out) { return string(out.emplace<relay_said::Notice>().text); }
  bool challenge(RelayMessage& out) { return string(out.emplace<relay_said::Challenge>().text); }
  bool neg_message(RelayMessage& out) {
    auto& said = out.emplace<relay_said::NegMessage>();
    std::string hex;
    if (!string(said.subscription) || !string(hex)) return false;
    said.message.resize(hex.size() / 2);
    const std::span bytes(reinterpret_cast<std::uint8_t*>(said.message.data()),
                          said.message.size());
    return core::decode_hex(hex, bytes) ||
           reading_.refuse("invalid: message must be lower-case hex");
  }
  bool neg_error(RelayMessage& out) {
    auto& said = out.emplace<relay_said::NegError>();
    return string(said.subscription) && optional_string(said.text) && optional_cap(said.cap);
  }
  bool optional_cap(std::optional<std::uint64_t>& out) {
    ondemand::value value;
    if (!next(value)) return !failed_ || reading_.refuse(kMalformed);
    const auto number = integer_of(value);
    if (!number) return skip(reading_, value, kIgnoredDepthMax);
    if (!number->negative) out = number->magnitude;
    return true;
  }

  [[nodiscard]] bool next(ondemand::value& out) {
    if (ended_) return false;  // the cursor must not be moved beyond the end
    if (started_) ++at_;
    started_ = true;
    ended_ = !(at_ != end_);
    if (ended_) return false;
    failed_ = (*at_).get(out) != simdjson::SUCCESS;
    ended_ = failed_;
    return !failed_;
  }
  bool string(std::string& out) {
    ondemand::value value;
    if (!next(value)) return reading_.refuse("invalid: an element is missing");
    return copy_string(value, out);
  }
  // Some relays leave an empty text out.
  bool optional_string(std::string& out) {
    ondemand::value value;
    if (!next(value)) return !failed_ || reading_.refuse(kMalformed);
    return copy_string(value, out);
  }
  bool copy_string(ondemand::value& value, std::string& out) {
    const auto text = string_of(reading_, value);
    if (!text) return reading_.refuse("invalid: an element must be a string");
    out = *text;
    return true;
  }
  bool rest() {
    ondemand::value value;
    while (next(value)) {
      if (!skip(reading_, value, kIgnoredDepthMax)) return false;
    }
    return (!failed_ && at_end(document_)) || reading_.refuse(kMalformed);
  }

  static constexpr std::array<std::pair<std::string_view, Rest>, 8> kTypes = {{
      {"EVENT", &RelayMessageReader::matching},
      {"OK", &RelayMessageReader::ok},
      {"EOSE", &RelayMessageReader::end_of_stored},
      {"CLOSED", &RelayMessageReader::closed},
      {"NOTICE", &RelayMessageReader::notice},
      {"AUTH", &RelayMessageReader::challenge},
      {"NEG-MSG", &RelayMessageReader::neg_message},
      {"NEG-ERR", &RelayMessageReader::neg_error},
  }};

  Reading& reading_;
  ondemand::document& document_;
  ondemand::array array_;
  ondemand::array_iterator at_, end_;
  bool started_ = false, ended_ = false, failed_ = false;
};

}  // namespace
}  // namespace json

core::Result<RelayMessage, std::string> JsonReader::relay_message(std::string_view text) {
  json::ondemand::document document;
  if (!buffers_->open(text, document)) {
    buffers_->shrink();
    return core::Failure{std::string(json::kMalformed)};
  }
  RelayMessage message;
  json::RelayMessageReader reader(buffers_->reading, document);
  const bool understood = reader.read(message);
  std::string why = understood ? std::string() : buffers_->reading.why;
  buffers_->shrink();
  if (!understood) return core::Failure{std::move(why)};
  return message;
}

}  // namespace graspd::nostr
