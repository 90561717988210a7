#include "http/client_address.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/trimmed.h"

namespace graspd::http {
namespace {

using core::IpAddress;
constexpr auto kEnd = std::string_view::npos;

// ":5" or nothing.
bool is_port_or_nothing(std::string_view text) {
  if (text.empty()) return true;
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + 1, end, port);
  return text.front() == ':' && error == std::errc() && stopped == end;
}

// R5
std::optional<IpAddress> parse_hop(std::string_view text) {
  if (text.starts_with('[')) {
    const auto closed = text.find(']');
    if (closed == kEnd || !is_port_or_nothing(text.substr(closed + 1))) return std::nullopt;
    const auto inner = text.substr(1, closed - 1);
    return inner.find(':') == kEnd ? std::nullopt : IpAddress::parse(inner);
  }
  const auto colon = text.find(':');
  const bool is_v4_with_port = colon != kEnd && text.find(':', colon + 1) == kEnd;
  if (!is_v4_with_port) return IpAddress::parse(text);
  return is_port_or_nothing(text.substr(colon)) ? IpAddress::parse(text.substr(0, colon))
                                                : std::nullopt;
}

// One hop per element, unread; an element that names none is empty text, which reads as no hop.
using Hops = std::vector<std::string>;

Hops split_list(std::string_view text) {
  Hops hops;
  while (true) {
    const auto comma = text.find(',');
    hops.emplace_back(core::trimmed(text.substr(0, comma)));
    if (comma == kEnd) return hops;
    text.remove_prefix(comma + 1);
  }
}

// Removes a value from the front of `text`: a quoted string, or all up to the next separator.
std::optional<std::string> take_value(std::string_view& text) {
  if (!text.starts_with('"')) {
    const auto end = std::min(text.find_first_of(",;\""), text.size());
    std::string value(core::trimmed(text.substr(0, end)));
    text.remove_prefix(end);
    return value;
  }
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text = core::trimmed(text.substr(i + 1));
      return value;
    }
    if (text[i] == '\\') ++i;
    if (i < text.size()) value += text[i];
  }
  return std::nullopt;
}

bool is_for(std::string_view name) {
  return name.size() == 3 && (name[0] | 0x20) == 'f' && (name[1] | 0x20) == 'o' &&
         (name[2] | 0x20) == 'r';
}

// RFC 7239. Where a quoted string ends depends on everything before it, so the whole header must
// be well formed: nothing a client put in front can hide what a proxy added behind.
std::optional<Hops> split_forwarded(std::string_view text) {
  Hops hops(1);
  while (true) {
    const auto equals = text.find_first_of("=,;\"");
    if (equals == kEnd || text[equals] != '=') return std::nullopt;
    const bool names_hop = is_for(core::trimmed(text.substr(0, equals)));
    text = core::trimmed(text.substr(equals + 1));
    auto value = take_value(text);
    if (!value || (names_hop && !hops.back().empty())) return std::nullopt;
    if (names_hop) hops.back() = *std::move(value);
    if (text.empty()) return hops;
    if (text.front() != ',' && text.front() != ';') return std::nullopt;
    if (text.front() == ',') hops.emplace_back();
    text.remove_prefix(1);
  }
}

// R2
Hops hops_of(const Headers& headers) {
  if (const auto list = headers.joined("X-Forwarded-For")) return split_list(*list);
  if (const auto list = headers.joined("Forwarded")) {
    return split_forwarded(*list).value_or(Hops(1));
  }
  if (const auto list = headers.joined("X-Real-IP")) return split_list(*list);
  return {};
}

}  // namespace

IpAddress client_address(const IpAddress& peer, const Headers& headers,
                         std::span<const core::Cidr> trusted) {
  const auto is_trusted = [&](const IpAddress& address) {
    return std::any_of(trusted.begin(), trusted.end(),
                       [&](const core::Cidr& network) { return network.contains(address); });
  };
  if (!is_trusted(peer)) return peer;
  IpAddress client = peer;
  const Hops hops = hops_of(headers);
  for (auto hop = hops.rbegin(); hop != hops.rend() && is_trusted(client); ++hop) {
    const auto address = parse_hop(*hop);
    if (!address) return peer;
    client = *address;
  }
  return client;
}

}  // namespace graspd::http
