// JSON, written from left to right behind a text. All JSON but events (nostr/serialize.h) and the
// frames around them (nostr/message.h) is written with it.
#pragma once
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "nostr/serialize.h"

namespace graspd::nostr {

// Writes values, and commas between them.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& key(std::string_view name) {
    comma();
    append_json_string(out_, name);
    out_ += ':';
    fresh_ = true;
    return *this;
  }
  void put(std::string_view text) {
    comma();
    append_json_string(out_, text);
  }
  void put(const char* text) { put(std::string_view(text)); }  // not as a bool
  void put(bool value) { raw(value ? "true" : "false"); }
  void put(double value) { raw(fmt::format("{:.4f}", value)); }
  template <class Integer>
    requires std::is_integral_v<Integer>
  void put(Integer value) {
    raw(fmt::format("{}", value));
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    if (value) {
      put(*value);
    } else {
      raw("null");
    }
  }
  template <class Value>
  JsonWriter& field(std::string_view name, const Value& value) {
    key(name).put(value);
    return *this;
  }
  JsonWriter& open(char bracket) {
    comma();
    out_ += bracket;
    fresh_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_ += bracket;
    fresh_ = false;
    return *this;
  }
  template <class Values>
  JsonWriter& list(const Values& values) {
    open('[');
    for (const auto& value : values) put(value);
    return close(']');
  }

 private:
  void comma() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  void raw(std::string_view text) {
    comma();
    out_ += text;
  }

  std::string& out_;
  bool fresh_ = true;
};

}  // namespace graspd::nostr
