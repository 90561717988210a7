#include "nostr/json_reading.h"

namespace graspd::nostr {
namespace json {
namespace {

// People write these documents by hand: a member of another type counts as not said.
class InformationReader {
 public:
  explicit InformationReader(Reading& reading) : reading_(reading) {}

  [[nodiscard]] bool read(ondemand::object& members, RelayInformation& out) {
    return each(members, [&](std::string_view key, ondemand::value& value) {
      if (key == "software") return string(value, out.software);
      if (key == "pubkey") return string(value, out.pubkey);
      if (key == "supported_nips") return numbers(value, out.supported_nips.emplace());
      if (key == "supported_grasps") return strings(value, out.supported_grasps);
      if (key == "limitation") return limitation(value, out);
      return pass(value);
    });
  }

 private:
  bool pass(ondemand::value& value) { return skip(reading_, value, kIgnoredDepthMax); }

  template <class Use>
  bool each(ondemand::object& members, const Use& use) {
    for (auto member : members) {
      ondemand::field field;
      if (std::move(member).get(field)) return reading_.refuse(kMalformed);
      const auto key = key_of(reading_, field);
      if (!key) return reading_.refuse(kMalformed);
      const std::string name(*key);
      ondemand::value value = field.value();
      if (!use(name, value)) return false;
    }
    return true;
  }

  template <class Use>
  bool each_element(ondemand::value& value, const Use& use) {
    ondemand::array array;
    if (value.get_array().get(array)) return pass(value);
    for (auto element : array) {
      ondemand::value inner;
      if (element.get(inner)) return reading_.refuse(kMalformed);
      if (!use(inner)) return false;
    }
    return true;
  }

  bool is(ondemand::value& value, ondemand::json_type wanted) {
    ondemand::json_type type;
    return !value.type().get(type) && type == wanted;
  }
  bool string(ondemand::value& value, std::string& out) {
    if (!is(value, ondemand::json_type::string)) return pass(value);
    const auto text = string_of(reading_, value);
    if (!text) return reading_.refuse(kMalformed);
    out = *text;
    return true;
  }
  bool strings(ondemand::value& value, std::vector<std::string>& out) {
    return each_element(value, [&](ondemand::value& element) {
      std::string text;
      if (!string(element, text)) return false;
      if (!text.empty()) out.push_back(std::move(text));
      return true;
    });
  }
  bool number(ondemand::value& value, std::optional<std::uint64_t>& out) {
    if (!is(value, ondemand::json_type::number)) return pass(value);
    const auto integer = integer_of(value);
    if (!integer) return pass(value);
    if (!integer->negative && integer->magnitude > 0) out = integer->magnitude;
    return true;
  }
  bool numbers(ondemand::value& value, std::vector<int>& out) {
    return each_element(value, [&](ondemand::value& element) {
      std::optional<std::uint64_t> one;
      if (!number(element, one)) return false;
      if (one && *one <= 0xffff) out.push_back(static_cast<int>(*one));
      return true;
    });
  }
  bool limitation(ondemand::value& value, RelayInformation& out) {
    ondemand::object members;
    if (value.get_object().get(members)) return pass(value);
    return each(members, [&](std::string_view key, ondemand::value& inner) {
      if (key == "max_subscriptions") return number(inner, out.max_subscriptions);
      if (key == "max_filters") return number(inner, out.max_filters);
      if (key == "max_message_length") return number(inner, out.max_message_length);
      if (key == "max_limit") return number(inner, out.max_limit);
      return pass(inner);
    });
  }

  Reading& reading_;
};

}  // namespace
}  // namespace json

core::Result<RelayInformation, std::string> JsonReader::relay_information(std::string_view text) {
  json::ondemand::document document;
  json::ondemand::object members;
  RelayInformation information;
  const bool understood = buffers_->open(text, document) && !document.get_object().get(members) &&
                          json::InformationReader(buffers_->reading).read(members, information) &&
                          json::at_end(document);
  buffers_->shrink();
  if (!understood) return core::Failure{std::string("it is not a JSON object")};
  return information;
}

}  // namespace graspd::nostr
