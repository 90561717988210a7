#include "app/config/setting_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/ascii.h"
#include "core/trimmed.h"
#include "nostr/relay_url.h"

namespace graspd::app {
namespace {

using core::Failure;

using core::is_digit;
using core::is_letter;
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <class Visit>
void for_each_item(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (const auto item = core::trimmed(list.substr(0, comma)); !item.empty()) visit(item);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::string_view kSizeUnits = "kmgt";

// Of a unit in lower case, or none.
std::optional<unsigned> unit_shift(std::string_view unit) {
  if (unit.empty() || unit == "b") return 0;
  const auto power = kSizeUnits.find(unit.front());
  if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "ib"))
    return std::nullopt;
  return 10 * (static_cast<unsigned>(power) + 1);
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  const auto value = digits(text);
  if (!value || *value > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return static_cast<std::uint16_t>(*value);
}

// "host:port", "[v6]:port" or "host" apart; the port is empty when there is none.
std::pair<std::string_view, std::string_view> split_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    const auto ip = core::IpAddress::parse(host.substr(1, host.size() - 2));
    return ip && !ip->is_v4();
  }
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; };
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), allowed) &&
         !host.starts_with('.') && host.find("..") == std::string_view::npos;
}

bool is_path_text(std::string_view path) {
  constexpr std::string_view kOther = "-._~!$&'()*+,;=:@/";
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%') {
      if (i + 2 >= path.size() || !is_hex_digit(path[i + 1]) || !is_hex_digit(path[i + 2])) {
        return false;
      }
    } else if (!is_letter(path[i]) && !is_digit(path[i]) &&
               kOther.find(path[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool has_dot_segment(std::string_view path) {
  const std::string closed = core::lowered(path) + "/";
  constexpr std::array<std::string_view, 5> kDots{"/./", "/../", "/%2e/", "/%2e%2e/", "/.%2e/"};
  return closed.find("/%2e./") != std::string::npos ||
         std::any_of(kDots.begin(), kDots.end(),
                     [&](std::string_view dots) { return closed.find(dots) != std::string::npos; });
}

using Level = core::log::Level;
constexpr std::array<std::pair<std::string_view, std::optional<Level>>, 6> kLevels{{
    {"trace", Level::Trace},
    {"debug", Level::Debug},
    {"info", Level::Info},
    {"warn", Level::Warn},
    {"error", Level::Error},
    {"off", std::nullopt},
}};

const std::optional<Level>* find_level(std::string_view name) {
  const std::string wanted = core::lowered(name);
  for (const auto& [text, level] : kLevels) {
    if (text == wanted) return &level;
  }
  return nullptr;
}

}  // namespace

Parsed<bool> parse_bool(std::string_view text) {
  const std::string word = core::lowered(core::trimmed(text));
  if (word == "true" || word == "1" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "0" || word == "no" || word == "off") return false;
  return Failure{Complaint{"is neither true nor false", "write true or false"}};
}

Parsed<std::uint64_t> parse_number(std::string_view text, std::uint64_t min, std::uint64_t max) {
  const std::string remedy = max == std::numeric_limits<std::uint64_t>::max()
                                 ? fmt::format("write a whole number, {} or more", min)
                                 : fmt::format("write a whole number from {} to {}", min, max);
  const auto value = digits(core::trimmed(text));
  if (!value) return Failure{Complaint{"is not a whole number", remedy}};
  if (*value < min) return Failure{Complaint{"is too small", remedy}};
  if (*value > max) return Failure{Complaint{"is too large", remedy}};
  return *value;
}

Parsed<std::uint64_t> parse_size(std::string_view text, std::uint64_t min, std::uint64_t max) {
  constexpr std::string_view kExamples = "write bytes, or a number with a unit: 64k, 512M, 4G";
  text = core::trimmed(text);
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = digits(text.substr(0, end));
  const std::string unit = core::lowered(core::trimmed(text.substr(end)));
  if (end == 0 || unit.starts_with('.') || unit.starts_with(','))
    return Failure{Complaint{"is not a whole number of bytes", std::string(kExamples)}};
  if (unit.size() == 2 && unit[1] == 'b' && kSizeUnits.find(unit[0]) != std::string_view::npos) {
    // 500MB are 500,000,000 to some and 524,288,000 to others.
    return Failure{Complaint{"has a unit that is read in two ways",
                             fmt::format("write {0}{1} or {0}{1}iB, which count in 1024s",
                                         text.substr(0, end), text[text.find_last_not_of("bB")])}};
  }
  const auto shift = unit_shift(unit);
  if (!shift) return Failure{Complaint{"has a unit that is not known", std::string(kExamples)}};
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() >> *shift ||
      *number << *shift > max)
    return Failure{Complaint{"is too large", fmt::format("write at most {}", size_text(max))}};
  if (*number << *shift < min)
    return Failure{Complaint{"is too small", fmt::format("write {} or more", size_text(min))}};
  return *number << *shift;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view kShown = "kMGT";
  std::size_t unit = 0;
  while (bytes != 0 && unit < kShown.size() && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) : fmt::format("{}{}", bytes, kShown[unit - 1]);
}

Parsed<SocketAddress> parse_socket_address(std::string_view text) {
  const Failure bad{Complaint{"is not an IP address and port",
                              "write ip:port, such as 127.0.0.1:7334, 0.0.0.0:7334 or [::]:7334"}};
  auto [host, port_text] = split_port(core::trimmed(text));
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto ip = core::IpAddress::parse(host);
  const auto port = port_number(port_text);
  if (!ip || !port || bracketed != (host.find(':') != std::string_view::npos)) return bad;
  return SocketAddress{*ip, *port};
}

Parsed<std::vector<core::Cidr>> parse_cidrs(std::string_view text) {
  std::vector<core::Cidr> networks;
  std::optional<Complaint> complaint;
  for_each_item(text, [&](std::string_view item) {
    if (const auto network = core::Cidr::parse(item)) {
      networks.push_back(*network);
    } else if (!complaint) {
      complaint = Complaint{fmt::format("holds \"{}\", which is no network", item),
                            "write networks separated by commas, such as 10.0.0.0/8,fd00::/8"};
    }
  });
  if (complaint) return Failure{*complaint};
  return networks;
}

Parsed<std::vector<nostr::RelayUrl>> parse_relays(std::string_view text) {
  std::vector<nostr::RelayUrl> relays;
  std::optional<Complaint> complaint;
  for_each_item(text, [&](std::string_view item) {
    const bool has_scheme = item.find("://") != std::string_view::npos;
    const auto relay =
        nostr::RelayUrl::parse(has_scheme ? std::string(item) : fmt::format("wss://{}", item));
    if (relay) {
      relays.push_back(*relay);
    } else if (!complaint) {
      complaint = Complaint{fmt::format("holds \"{}\", which is no relay's URL", item),
                            "write URLs separated by commas, such as wss://relay.example.org"};
    }
  });
  if (complaint) return Failure{*complaint};
  return relays;
}

Parsed<std::string> parse_domain(std::string_view text) {
  const Failure bad{Complaint{"is not a host name with an optional port",
                              "write it without scheme and path, such as example.org"}};
  auto rest = core::trimmed(text);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  auto [host, port] = split_port(rest);
  if (host.ends_with('.')) host.remove_suffix(1);
  const bool has_port = rest.size() > host.size() && rest.back() != '.';
  if (!is_host(host) || (has_port && !port_number(port))) return bad;
  const bool usual_port = port.empty() || port == "443";
  std::string domain =
      usual_port ? core::lowered(host) : fmt::format("{}:{}", core::lowered(host), port);
  if (!nostr::RelayUrl::parse("wss://" + domain)) return bad;
  return domain;
}

Parsed<std::string> parse_base_path(std::string_view text) {
  const auto bad = [](std::string_view what) {
    return Failure{Complaint{std::string(what), "write / or a path such as /grasp"}};
  };
  const auto path = core::trimmed(text);
  if (!path.starts_with('/')) return bad("does not begin with /");
  if (path == "/") return std::string(path);
  if (path.ends_with('/')) return bad("ends with /");
  if (path.find("//") != std::string_view::npos) return bad("has an empty part (//)");
  if (has_dot_segment(path)) return bad("has a part that is . or ..");
  if (!is_path_text(path)) return bad("has a character that a URL path must percent-encode");
  return std::string(path);
}

Parsed<std::optional<core::log::Level>> parse_log_level(std::string_view text) {
  const std::optional<Level>* bare = nullptr;
  const std::optional<Level>* own = nullptr;
  bool understood = true;
  for_each_item(text, [&](std::string_view directive) {
    const auto equals = directive.find('=');
    const bool is_bare = equals == std::string_view::npos;
    const auto* level = find_level(is_bare ? directive : directive.substr(equals + 1));
    if (level == nullptr) understood = false;
    const auto target = directive.substr(0, is_bare ? 0 : equals);
    if (is_bare) bare = level;
    if (target == "ngit_grasp" || target == "graspd") own = level;
  });
  if (!understood) {
    return Failure{Complaint{"names no log level", "write trace, debug, info, warn, error or off"}};
  }
  if (own != nullptr) return *own;
  if (bare != nullptr) return *bare;
  return std::optional<Level>(Level::Info);
}

std::string_view log_level_name(std::optional<core::log::Level> level) {
  for (const auto& [name, value] : kLevels) {
    if (value == level) return name;
  }
  return "off";
}

}  // namespace graspd::app
