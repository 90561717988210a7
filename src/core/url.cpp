#include "core/url.h"

#include <algorithm>
#include <charconv>

#include "core/ip_address.h"

namespace graspd::core {
namespace {

constexpr std::size_t kUrlBytesMax = 2048;  // announcements hold many of them
constexpr std::size_t kHostBytesMax = 253;  // what DNS can carry

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos;
}

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

bool is_name(std::string_view host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    const bool is_dot_between = host[i] == '.' && i > 0 && host[i - 1] != '.';
    const bool is_plain =
        is_letter(host[i]) || is_digit(host[i]) || host[i] == '-' || host[i] == '_';
    if (!is_plain && !is_dot_between) return false;
  }
  return !host.empty() && !host.ends_with('.');
}

// Resolvers read a host whose last label is a number as IPv4, in a dozen spellings.
bool looks_like_v4(std::string_view host) {
  const auto last = host.substr(host.rfind('.') + 1);
  if (std::all_of(last.begin(), last.end(), is_digit)) return true;
  return last.starts_with("0x") &&
         last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

std::optional<std::string> parse_address(std::string_view text) {
  const auto address = IpAddress::parse(text);
  if (!address) return std::nullopt;
  return address->text();
}

std::optional<std::string> parse_host(std::string_view text) {
  if (text.size() > kHostBytesMax) return std::nullopt;
  if (text.starts_with('[')) {
    const auto inner = text.substr(1, text.size() - 2);
    const bool is_v6 = inner.find(':') != std::string_view::npos;
    return is_v6 ? parse_address(inner) : std::nullopt;
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string host = lowered(text);
  if (!is_name(host)) return std::nullopt;
  return looks_like_v4(host) ? parse_address(host) : host;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stopped != end || port == 0) return std::nullopt;
  return port;
}

// Where the host ends and ":port" or nothing follows; npos when a bracket does not close.
std::size_t host_end(std::string_view authority) {
  if (!authority.starts_with('[')) return std::min(authority.find(':'), authority.size());
  const auto closed = authority.find(']');
  return closed == std::string_view::npos ? closed : closed + 1;
}

bool read_authority(std::string_view authority, Url& url) {
  const auto end = host_end(authority);
  if (end == std::string_view::npos) return false;
  auto host = parse_host(authority.substr(0, end));
  if (!host) return false;
  url.host = *std::move(host);
  const auto rest = authority.substr(end);
  if (rest.empty() || rest == ":") return true;
  if (rest.front() != ':') return false;
  url.port = parse_port(rest.substr(1));
  return url.port.has_value();
}

// The byte that "%XX" at the start of `text` stands for.
std::optional<char> percent_byte(std::string_view text) {
  unsigned char byte = 0;
  if (text.size() < 3) return std::nullopt;
  const auto [stopped, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  if (error != std::errc() || stopped != text.data() + 3) return std::nullopt;
  return static_cast<char>(byte);
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
  if (!read_authority(authority, url)) return std::nullopt;
  url.path = text.substr(authority.size());
  return url;
}

std::optional<std::uint16_t> Url::effective_port() const {
  if (port) return port;
  if (scheme == "http" || scheme == "ws") return 80;
  if (scheme == "https" || scheme == "wss") return 443;
  return std::nullopt;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = percent_byte(text.substr(i));
    if (!byte) return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

}  // namespace graspd::core
