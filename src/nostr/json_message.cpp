#include <array>

#include "core/sha256.h"
#include "nostr/address.h"
#include "nostr/json_reading.h"

namespace graspd::nostr {
namespace json {
namespace {

using Reply = BadMessage::Reply;

// What is named in an answer must not be a message of its own.
constexpr std::size_t kAboutBytesMax = 1024;

constexpr std::string_view kNotAnArray = "invalid: message must be an array";
constexpr std::string_view kBadSubscription = "invalid: subscription id must be a non-empty string";

// The elements of a message, one after the other.
class Elements {
 public:
  [[nodiscard]] simdjson::error_code begin(ondemand::document& document) {
    SIMDJSON_TRY(document.get_array().get(array_));
    SIMDJSON_TRY(array_.begin().get(at_));
    return array_.end().get(end_);
  }
  // False behind the last element; failed() then tells whether that was the end of the array.
  [[nodiscard]] bool next(ondemand::value& out) {
    if (started_) ++at_;
    started_ = true;
    if (!(at_ != end_)) return false;
    failed_ = (*at_).get(out) != simdjson::SUCCESS;
    return !failed_;
  }
  bool failed() const { return failed_; }

 private:
  ondemand::array array_;
  ondemand::array_iterator at_, end_;
  bool started_ = false, failed_ = false;
};

// NIP-45: the character at position 32 of the hex form is the upper half of byte 16.
std::uint8_t hll_offset(std::string_view item) {
  PublicKey::Bytes bytes;
  if (const auto address = Address::parse(item)) {
    bytes = address->pubkey.bytes();
  } else if (!core::decode_hex(item, bytes)) {
    bytes = core::sha256(item);
  }
  return static_cast<std::uint8_t>(8 + (bytes[16] >> 4));
}

class MessageReader {
 public:
  MessageReader(Reading& reading, ondemand::document& document, std::size_t filters_max)
      : reading_(reading), document_(document), filters_max_(filters_max) {}

  [[nodiscard]] bool read(ClientMessage& out) {
    if (const auto error = elements_.begin(document_)) {
      const bool is_other_type = error == simdjson::INCORRECT_TYPE;
      return reading_.refuse(is_other_type ? kNotAnArray : kMalformed);
    }
    ondemand::value value;
    const auto text = elements_.next(value) ? string_of(reading_, value) : std::nullopt;
    if (!text) return reading_.refuse("invalid: message must begin with its type");
    for (const auto& [verb, read_rest] : kVerbs) {
      if (verb == *text) return (this->*read_rest)(out);
    }
    return reading_.refuse("invalid: unknown message type");
  }

  // Whom to tell when read() failed.
  bool was_about_event() const { return about_event_; }
  BadMessage refusal() const {
    if (about_.size() > kAboutBytesMax) {
      return {Reply::Notice, {}, "invalid: subscription id is too long"};
    }
    return {reply_, about_, reading_.why};
  }

 private:
  using Rest = bool (MessageReader::*)(ClientMessage&);

  bool publish(ClientMessage& out) { return event(out.emplace<client::Publish>().event); }
  bool authenticate(ClientMessage& out) { return event(out.emplace<client::Authenticate>().event); }

  bool request(ClientMessage& out) {
    auto& request = out.emplace<client::Request>();
    return subscription(request.subscription, Reply::Closed) && filters(request.filters);
  }
  bool count(ClientMessage& out) {
    auto& count = out.emplace<client::Count>();
    if (!subscription(count.subscription, Reply::Closed) || !filters(count.filters)) return false;
    if (count.filters.size() == 1 && reading_.first_tag_item) {
      count.hll_offset = hll_offset(*reading_.first_tag_item);
    }
    return true;
  }
  bool close(ClientMessage& out) {
    return subscription(out.emplace<client::Close>().subscription, Reply::Notice) && end();
  }

  bool neg_open(ClientMessage& out) {
    auto& open = out.emplace<client::NegOpen>();
    return subscription(open.subscription, Reply::NegErr) && filter(open.filter) &&
           binary(open.message) && end();
  }
  bool neg_message(ClientMessage& out) {
    auto& message = out.emplace<client::NegMessage>();
    return subscription(message.subscription, Reply::NegErr) && binary(message.message) && end();
  }
  bool neg_close(ClientMessage& out) {
    return subscription(out.emplace<client::NegClose>().subscription, Reply::Notice) && end();
  }

  bool event(Event& out) {
    about_event_ = true;
    ondemand::value value;
    if (!next(value, "invalid: event is missing")) return false;
    return read_event(reading_, value, out) && end();
  }
  bool subscription(SubscriptionId& out, Reply reply) {
    ondemand::value value;
    if (!next(value, kBadSubscription)) return false;
    const auto text = string_of(reading_, value);
    if (!text || text->empty()) return reading_.refuse(kBadSubscription);
    out = *text;
    reply_ = reply;
    if (reply != Reply::Notice) about_ = out;
    return true;
  }
  bool filter(Filter& out) {
    ondemand::value value;
    return next(value, "invalid: filter is missing") && read_filter(reading_, value, out);
  }
  bool filters(std::vector<Filter>& out) {
    ondemand::value value;
    while (elements_.next(value)) {
      if (!reading_.afford(sizeof(Filter))) return false;
      if (!read_filter(reading_, value, out.emplace_back())) return false;
      if (filters_max_ > 0 && out.size() > filters_max_) return true;  // R5
    }
    if (elements_.failed() || !at_end(document_)) return reading_.refuse(kMalformed);
    return !out.empty() || reading_.refuse("invalid: filter is missing");
  }
  bool binary(std::string& out) {
    constexpr std::string_view kNotHex = "invalid: message must be lower-case hex";
    ondemand::value value;
    if (!next(value, kNotHex)) return false;
    const auto text = string_of(reading_, value);
    if (!text || text->empty()) return reading_.refuse(kNotHex);
    out.resize(text->size() / 2);
    const std::span bytes(reinterpret_cast<std::uint8_t*>(out.data()), out.size());
    return core::decode_hex(*text, bytes) || reading_.refuse(kNotHex);
  }
  bool end() {
    ondemand::value value;
    if (elements_.next(value))
      return reading_.refuse("invalid: message goes on behind its last element");
    const bool is_complete = !elements_.failed() && at_end(document_);
    return is_complete || reading_.refuse(kMalformed);
  }
  bool next(ondemand::value& out, std::string_view complaint) {
    if (elements_.next(out)) return true;
    return reading_.refuse(elements_.failed() ? kMalformed : complaint);
  }

  static constexpr std::array<std::pair<std::string_view, Rest>, 8> kVerbs = {{
      {"EVENT", &MessageReader::publish},
      {"REQ", &MessageReader::request},
      {"CLOSE", &MessageReader::close},
      {"AUTH", &MessageReader::authenticate},
      {"COUNT", &MessageReader::count},
      {"NEG-OPEN", &MessageReader::neg_open},
      {"NEG-MSG", &MessageReader::neg_message},
      {"NEG-CLOSE", &MessageReader::neg_close},
  }};

  Reading& reading_;
  ondemand::document& document_;
  const std::size_t filters_max_;
  Elements elements_;
  Reply reply_ = Reply::Notice;
  std::string about_;
  bool about_event_ = false;
};

bool is_id(std::string_view text) {
  return text.size() == 64 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// The id of an event that could not be read, wherever it stands in it.
std::optional<std::string> find_id(Reading& reading, ondemand::document& document) {
  Elements elements;
  ondemand::value value;
  ondemand::object members;
  if (elements.begin(document) || !elements.next(value) || !string_of(reading, value) ||
      !elements.next(value) || value.get_object().get(members)) {
    return std::nullopt;
  }
  for (auto entry : members) {
    ondemand::field field;
    if (std::move(entry).get(field)) return std::nullopt;
    const auto name = key_of(reading, field);
    if (!name) return std::nullopt;
    if (*name == "id") {
      const auto text = string_of(reading, field.value());
      return text && is_id(*text) ? std::optional<std::string>(*text) : std::nullopt;
    }
    if (!skip(reading, field.value(), kIgnoredDepthMax)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace
}  // namespace json

core::Result<ClientMessage, BadMessage> JsonReader::client_message(std::string_view text,
                                                                   std::size_t filters_max) {
  json::ondemand::document document;
  if (!buffers_->open(text, document)) {
    buffers_->shrink();
    return core::Failure{BadMessage{{}, {}, std::string(json::kMalformed)}};
  }
  ClientMessage message;
  json::MessageReader reader(buffers_->reading, document, filters_max);
  if (reader.read(message)) {
    buffers_->shrink();
    return message;
  }
  BadMessage refusal = reader.refusal();
  if (reader.was_about_event() && buffers_->open_again(document)) {
    if (auto id = json::find_id(buffers_->reading, document)) {
      refusal = {BadMessage::Reply::Ok, std::move(*id), std::move(refusal.reason)};
    }
  }
  buffers_->shrink();
  return core::Failure{std::move(refusal)};
}

}  // namespace graspd::nostr
