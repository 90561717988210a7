#include "core/url.h"

#include <algorithm>
#include <utility>

#include "core/ascii.h"
#include "core/authority.h"

namespace graspd::core {
namespace {

constexpr std::size_t kUrlBytesMax = 2048;  // announcements hold many of them

bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f || c == '\\';
}

bool is_scheme(std::string_view text) {
  const auto may_follow = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), may_follow);
}

// Removes "scheme://" from the front of `text`, if it is there.
std::string take_scheme(std::string_view& text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || !is_scheme(text.substr(0, end))) return {};
  std::string scheme = lowered(text.substr(0, end));
  text.remove_prefix(end + 3);
  return scheme;
}

// Removes what stands after `mark`, and the mark.
std::string take_after(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  std::string taken(text.substr(at + 1));
  text = text.substr(0, at);
  return taken;
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  if (text.size() > kUrlBytesMax) return std::nullopt;
  if (std::any_of(text.begin(), text.end(), is_forbidden)) return std::nullopt;
  Url url;
  url.scheme = take_scheme(text);
  url.fragment = take_after(text, '#');
  url.query = take_after(text, '?');
  const auto authority = text.substr(0, text.find('/'));
  auto place = Authority::parse(authority, Authority::Names::Ascii);
  if (!place) return std::nullopt;
  url.host = std::move(place->host);
  url.port = place->port;
  url.path = text.substr(authority.size());
  return url;
}

std::optional<std::uint16_t> Url::effective_port() const {
  if (port) return port;
  if (scheme == "http" || scheme == "ws") return 80;
  if (scheme == "https" || scheme == "wss") return 443;
  return std::nullopt;
}

}  // namespace graspd::core
