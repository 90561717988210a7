#include "http/base_path.h"

#include <algorithm>

namespace graspd::http {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Browsers encode or reinterpret the others in a path.
bool is_plain(char c) {
  return c > ' ' && c < 0x7f && std::string_view("\"#<>?`{}^\\").find(c) == std::string_view::npos;
}

bool has_bad_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_plain(text[i])) return true;
    if (text[i] != '%') continue;
    if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return true;
  }
  return false;
}

// ".", "..", and the same with %2e, which browsers resolve alike.
bool is_dots(std::string_view segment) {
  int dots = 0;
  while (!segment.empty()) {
    const bool is_encoded = segment.starts_with("%2e") || segment.starts_with("%2E");
    if (!is_encoded && segment.front() != '.') return false;
    segment.remove_prefix(is_encoded ? 3 : 1);
    ++dots;
  }
  return dots == 1 || dots == 2;
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // its slash
    const auto segment = path.substr(0, path.find('/'));
    if (is_dots(segment)) return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

}  // namespace

std::string_view describe(BadBasePath reason) {
  switch (reason) {
    case BadBasePath::NoLeadingSlash:
      return "must begin with /";
    case BadBasePath::TrailingSlash:
      return "must not end with /";
    case BadBasePath::EmptySegment:
      return "must not contain //";
    case BadBasePath::DotSegment:
      return "must not contain . or .. as a segment";
    case BadBasePath::BadCharacter:
      break;
  }
  return "contains a character that must be percent-encoded in a path";
}

core::Result<BasePath, BadBasePath> BasePath::parse(std::string_view text) {
  if (text == "/") return BasePath();
  if (!text.starts_with('/')) return core::Failure{BadBasePath::NoLeadingSlash};
  if (text.find("//") != std::string_view::npos) return core::Failure{BadBasePath::EmptySegment};
  if (text.ends_with('/')) return core::Failure{BadBasePath::TrailingSlash};
  if (has_bad_character(text)) return core::Failure{BadBasePath::BadCharacter};
  if (has_dot_segment(text)) return core::Failure{BadBasePath::DotSegment};
  return BasePath(text);
}

std::optional<std::string_view> BasePath::below(std::string_view path) const {
  if (!path.starts_with('/')) return std::nullopt;
  if (is_root()) return path;
  if (!path.starts_with(text_)) return std::nullopt;
  path.remove_prefix(text_.size());
  if (path.empty()) return "/";
  return path.front() == '/' ? std::optional(path) : std::nullopt;
}

}  // namespace graspd::http
