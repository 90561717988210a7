// JSON, written from left to right.
#pragma once
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nostr/serialize.h"

namespace graspd::sync {

// Writes values, and commas between them.
class JsonWriter {
 public:
  JsonWriter& key(std::string_view name) {
    comma();
    nostr::append_json_string(out_, name);
    out_ += ':';
    fresh_ = true;
    return *this;
  }
  void put(std::string_view text) {
    comma();
    nostr::append_json_string(out_, text);
  }
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
  std::string take() { return std::move(out_) + "\n"; }

 private:
  void comma() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  void raw(std::string_view text) {
    comma();
    out_ += text;
  }

  std::string out_;
  bool fresh_ = true;
};

}  // namespace graspd::sync
