#include "nostr/json_reading.h"

#include <charconv>
#include <limits>

#include "nostr/scan.h"

namespace graspd::nostr::json {
namespace {

// The closing quote or the first backslash. The text is padded, so words may be read behind it.
const char* find_quote_or_backslash(const char* at) {
  for (;; at += 8) {
    const std::uint64_t word = scan::load(at);
    const std::uint64_t marks = scan::mark_equal(word, '"') | scan::mark_equal(word, '\\');
    if (marks != 0) return at + scan::first(marks);
  }
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_tail = [&](int shift) { put(0x80 | (code_point >> shift & 0x3f)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put_tail(0);
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put_tail(6);
    put_tail(0);
  } else {
    put(0xf0 | code_point >> 18);
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

// The four digits of \uXXXX; here JSON allows capitals.
std::optional<std::uint32_t> four_digits(const char* at) {
  std::uint32_t value = 0;
  const auto [rest, error] = std::from_chars(at, at + 4, value, 16);
  if (error != std::errc() || rest != at + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Reads what follows `\u` at `at` and moves on; surrogates count only in pairs.
bool append_code_point(std::string& out, const char*& at) {
  const auto unit = four_digits(at);
  if (!unit || is_low_surrogate(*unit)) return false;
  at += 4;
  if (!is_high_surrogate(*unit)) {
    append_utf8(out, *unit);
    return true;
  }
  if (at[0] != '\\' || at[1] != 'u') return false;
  const auto low = four_digits(at + 2);
  if (!low || !is_low_surrogate(*low)) return false;
  at += 6;
  append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
  return true;
}

// Reads what follows a backslash at `at` and moves on.
bool append_escape(std::string& out, const char*& at) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = *at++;
  if (letter == 'u') return append_code_point(out, at);
  const std::size_t index = kLetters.find(letter);
  if (index == std::string_view::npos) return false;
  out += kMeanings[index];
  return true;
}

bool append_unescaped(std::string& out, const char* at) {
  for (;;) {
    const char* stop = find_quote_or_backslash(at);
    out.append(at, stop);
    if (*stop == '"') return true;
    at = stop + 1;
    if (!append_escape(out, at)) return false;
  }
}

std::optional<std::string_view> text_of(Reading& reading, const char* begin) {
  const char* stop = find_quote_or_backslash(begin);
  if (*stop == '"') return std::string_view(begin, static_cast<std::size_t>(stop - begin));
  reading.unescaped.clear();
  if (!append_unescaped(reading.unescaped, begin)) return std::nullopt;
  return reading.unescaped;
}

// A token reaches to the next one; white space between them belongs to it.
std::string_view token_of(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\n\r") + 1);
}

std::size_t count_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

bool has_needless_zero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  if (whole == 0 || has_needless_zero(text.substr(0, whole))) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const std::size_t fraction = count_digits(text.substr(1));
    if (fraction == 0) return false;
    text.remove_prefix(1 + fraction);
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (text.empty()) return false;
    text.remove_prefix(count_digits(text));
  }
  return text.empty();
}

bool skip_array(Reading& reading, ondemand::value& value, unsigned depth_left) {
  ondemand::array items;
  if (value.get_array().get(items)) return reading.refuse(kMalformed);
  for (auto item : items) {
    ondemand::value inner;
    if (item.get(inner)) return reading.refuse(kMalformed);
    if (!skip(reading, inner, depth_left)) return false;
  }
  return true;
}

bool skip_object(Reading& reading, ondemand::value& value, unsigned depth_left) {
  ondemand::object members;
  if (value.get_object().get(members)) return reading.refuse(kMalformed);
  for (auto member : members) {
    ondemand::field field;
    if (std::move(member).get(field) || !key_of(reading, field)) return reading.refuse(kMalformed);
    if (!skip(reading, field.value(), depth_left)) return false;
  }
  return true;
}

bool is_well_formed_scalar(Reading& reading, ondemand::value& value, ondemand::json_type type) {
  bool ignored = false;
  switch (type) {
    case ondemand::json_type::string:
      return string_of(reading, value).has_value();
    case ondemand::json_type::number:
      return is_number(token_of(value));
    case ondemand::json_type::boolean:
      return !value.get_bool().get(ignored);
    case ondemand::json_type::null:
      return !value.is_null().get(ignored) && ignored;
    case ondemand::json_type::array:
    case ondemand::json_type::object:
      break;
  }
  return false;
}

}  // namespace

std::optional<std::string_view> string_of(Reading& reading, ondemand::value& value) {
  ondemand::raw_json_string raw;
  if (value.get_raw_json_string().get(raw)) return std::nullopt;
  return text_of(reading, raw.raw());
}

std::optional<std::string_view> key_of(Reading& reading, ondemand::field& field) {
  return text_of(reading, field.key().raw());
}

std::optional<Integer> integer_of(ondemand::value& value) {
  std::string_view token = token_of(value);
  const bool minus = token.starts_with('-');
  if (minus) token.remove_prefix(1);
  if (token.empty() || has_needless_zero(token)) return std::nullopt;
  std::uint64_t magnitude = 0;
  const char* end = token.data() + token.size();
  const auto [rest, error] = std::from_chars(token.data(), end, magnitude);
  if (error == std::errc::invalid_argument || rest != end) return std::nullopt;
  if (error != std::errc()) magnitude = std::numeric_limits<std::uint64_t>::max();
  return Integer{minus && magnitude != 0, magnitude};
}

bool skip(Reading& reading, ondemand::value& value, unsigned depth_left) {
  ondemand::json_type type;
  if (value.type().get(type)) return reading.refuse(kMalformed);
  const bool nests = type == ondemand::json_type::array || type == ondemand::json_type::object;
  if (!nests) return is_well_formed_scalar(reading, value, type) || reading.refuse(kMalformed);
  if (depth_left == 0) return reading.refuse("invalid: nested too deeply");
  return type == ondemand::json_type::array ? skip_array(reading, value, depth_left - 1)
                                            : skip_object(reading, value, depth_left - 1);
}

}  // namespace graspd::nostr::json
