#include "core/authority.h"

#include <algorithm>
#include <charconv>

#include "core/ascii.h"
#include "core/ip_address.h"
#include "core/percent.h"

namespace graspd::core {
namespace {

using Names = Authority::Names;

constexpr std::size_t kHostBytesMax = 253;  // what DNS can carry

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

// R2
bool is_name(std::string_view host, Names names) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_name_character(host[i])) continue;
    if (host[i] == '.' && i > 0 && host[i - 1] != '.') continue;
    const auto byte = percent_byte(host.substr(i));
    if (names == Names::Ascii || !byte || *byte < 0x80) return false;
    i += 2;
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

// R1
std::optional<std::string> parse_host(std::string_view text, Names names) {
  if (text.size() > kHostBytesMax) return std::nullopt;
  if (text.starts_with('[')) {
    const auto inner = text.substr(1, text.size() - 2);
    const bool is_v6 = inner.find(':') != std::string_view::npos;
    return is_v6 ? parse_address(inner) : std::nullopt;
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string host = lowered(text);
  if (!is_name(host, names)) return std::nullopt;
  return looks_like_v4(host) ? parse_address(host) : host;
}

// R3
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

}  // namespace

std::optional<Authority> Authority::parse(std::string_view text, Names names) {
  const auto end = host_end(text);
  if (end == std::string_view::npos) return std::nullopt;
  auto host = parse_host(text.substr(0, end), names);
  if (!host) return std::nullopt;
  const auto rest = text.substr(end);
  if (rest.empty() || rest == ":") return Authority{*std::move(host), std::nullopt};
  if (rest.front() != ':') return std::nullopt;
  const auto port = parse_port(rest.substr(1));
  if (!port) return std::nullopt;
  return Authority{*std::move(host), port};
}

}  // namespace graspd::core
