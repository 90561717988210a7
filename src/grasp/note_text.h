// Parses the text of notes: words and numbers with separators between them.
#pragma once
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace graspd::grasp::note {

// Takes the text up to the separator off the front.
inline std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace graspd::grasp::note
