#include "nostr/relay_url.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "core/ip_address.h"

namespace graspd::nostr {
namespace {

constexpr std::size_t kUrlBytesMax = 2048;  // no relay needs more, and lists hold many of them
constexpr std::size_t kHostBytesMax = 253;  // what DNS can carry
constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kSecurePort = 443;

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
bool is_url_character(char c) {
  return is_unreserved(c) ||
         std::string_view(":/?@!$&'()*+,;=%[]").find(c) != std::string_view::npos;
}

// The byte that "%XX" at the start of `text` stands for.
std::optional<std::uint8_t> percent_byte(std::string_view text) {
  std::uint8_t byte = 0;
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const auto [stopped, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  if (error != std::errc() || stopped != text.data() + 3) return std::nullopt;
  return byte;
}

// Removes `scheme://` from the front of `text`; nullopt unless it is ws or wss.
std::optional<bool> take_secure(std::string_view& text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string scheme = lowered(text.substr(0, end));
  text.remove_prefix(end + 3);
  if (scheme == "wss") return true;
  if (scheme == "ws") return false;
  return std::nullopt;
}

// R2: names of letters, digits, '-' and '_', and percent sequences of what is not ASCII.
bool is_name(std::string_view host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_letter(host[i]) || is_digit(host[i]) || host[i] == '-' || host[i] == '_') continue;
    if (host[i] == '.' && i > 0 && host[i - 1] != '.') continue;
    const auto byte = percent_byte(host.substr(i));
    if (!byte || *byte < 0x80) return false;
    i += 2;
  }
  return !host.empty();
}

// Resolvers read a host whose last label is a number as IPv4, in a dozen spellings.
bool looks_like_v4(std::string_view host) {
  const auto last = host.substr(host.rfind('.') + 1);
  if (std::all_of(last.begin(), last.end(), is_digit)) return true;
  return last.starts_with("0x") &&
         last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

std::optional<std::string> parse_address(std::string_view text) {
  const auto address = core::IpAddress::parse(text);
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
  if (!is_name(host) || host.ends_with('.')) return std::nullopt;
  return looks_like_v4(host) ? parse_address(host) : host;
}

std::optional<std::uint16_t> parse_port(std::string_view text, std::uint16_t port_default) {
  if (text.empty()) return port_default;
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

std::optional<std::string> normalise_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = percent_byte(text.substr(i));
    if (!byte) return std::nullopt;
    if (is_unreserved(static_cast<char>(*byte))) {
      out += static_cast<char>(*byte);
    } else {
      out += fmt::format("%{:02X}", *byte);
    }
    i += 2;
  }
  return out;
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // its slash
    const auto segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

// R4: `text` is empty or begins with '/' or '?'.
std::optional<std::string> parse_path(std::string_view text) {
  if (text.ends_with('?') && text.find('?') == text.size() - 1) text.remove_suffix(1);
  auto path = normalise_percent(text);
  if (!path) return std::nullopt;
  if (path->starts_with('?')) path->insert(0, "/");
  if (*path == "/") path->clear();
  if (has_dot_segment(std::string_view(*path).substr(0, path->find('?')))) return std::nullopt;
  return path;
}

}  // namespace

std::optional<RelayUrl> RelayUrl::parse(std::string_view text) {
  if (text.size() > kUrlBytesMax) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_url_character)) return std::nullopt;
  const auto secure = take_secure(text);
  if (!secure) return std::nullopt;
  const auto authority = text.substr(0, text.find_first_of("/?"));
  const auto end = host_end(authority);
  if (end == std::string_view::npos) return std::nullopt;
  auto rest = authority.substr(end);
  if (!rest.empty() && rest.front() != ':') return std::nullopt;
  if (!rest.empty()) rest.remove_prefix(1);

  const std::uint16_t port_default = *secure ? kSecurePort : kPlainPort;
  auto host = parse_host(authority.substr(0, end));
  const auto port = parse_port(rest, port_default);
  auto path = parse_path(text.substr(authority.size()));
  if (!host || !port || !path) return std::nullopt;

  RelayUrl url;
  const bool is_v6 = host->find(':') != std::string::npos;
  url.text_ = fmt::format("{}://{}", *secure ? "wss" : "ws", is_v6 ? '[' + *host + ']' : *host);
  if (*port != port_default) url.text_ += fmt::format(":{}", *port);
  url.text_ += *path;
  if (url.text_.size() > kUrlBytesMax) return std::nullopt;
  url.host_ = *std::move(host);
  url.path_ = *std::move(path);
  url.port_ = *port;
  url.secure_ = *secure;
  return url;
}

bool names_same_relay(const RelayUrl& a, const RelayUrl& b) {
  const auto without_last_slash = [](std::string_view path) {
    return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  };
  const auto has_default_port = [](const RelayUrl& url) {
    return url.port() == (url.is_secure() ? kSecurePort : kPlainPort);
  };
  const bool same_port = a.port() == b.port() || (has_default_port(a) && has_default_port(b));
  return same_port && a.host() == b.host() &&
         without_last_slash(a.path()) == without_last_slash(b.path());
}

}  // namespace graspd::nostr
