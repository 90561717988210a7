#include "nostr/relay_url.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/ascii.h"
#include "core/authority.h"
#include "core/percent.h"

namespace graspd::nostr {
namespace {

constexpr std::size_t kUrlBytesMax = 2048;  // no relay needs more, and lists hold many of them
constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kSecurePort = 443;

bool is_url_character(char c) {
  return core::is_unreserved(c) ||
         std::string_view(":/?@!$&'()*+,;=%[]").find(c) != std::string_view::npos;
}

// Removes `scheme://` from the front of `text`; nullopt unless it is ws or wss.
std::optional<bool> take_secure(std::string_view& text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string scheme = core::lowered(text.substr(0, end));
  text.remove_prefix(end + 3);
  if (scheme == "wss") return true;
  if (scheme == "ws") return false;
  return std::nullopt;
}

std::optional<std::string> normalise_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = core::percent_byte(text.substr(i));
    if (!byte) return std::nullopt;
    if (core::is_unreserved(static_cast<char>(*byte))) {
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
  auto place = core::Authority::parse(authority, core::Authority::Names::PercentEncoded);
  auto path = parse_path(text.substr(authority.size()));
  if (!place || !path) return std::nullopt;

  RelayUrl url;
  const std::string& host = place->host;
  const bool is_v6 = host.find(':') != std::string::npos;
  url.text_ = fmt::format("{}://{}", *secure ? "wss" : "ws", is_v6 ? '[' + host + ']' : host);
  const std::uint16_t port_default = *secure ? kSecurePort : kPlainPort;
  url.port_ = place->port.value_or(port_default);
  if (url.port_ != port_default) url.text_ += fmt::format(":{}", url.port_);
  url.text_ += *path;
  if (url.text_.size() > kUrlBytesMax) return std::nullopt;
  url.host_ = std::move(place->host);
  url.path_ = *std::move(path);
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
