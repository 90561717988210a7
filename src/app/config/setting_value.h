// Parses the texts of settings into values, each with an error message for a wrong one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ip_address.h"
#include "core/log.h"
#include "core/result.h"
#include "nostr/relay_url.h"

namespace graspd::app {

// What is wrong with a text, and what to write instead.
struct Complaint {
  std::string what;    // "is not a whole number"
  std::string remedy;  // "give a whole number, 0 or more"
};

template <class T>
using Parsed = core::Result<T, Complaint>;

// true/false, 1/0, yes/no, on/off in any case.
Parsed<bool> parse_bool(std::string_view text);
Parsed<std::uint64_t> parse_number(std::string_view text, std::uint64_t min, std::uint64_t max);

// Bytes: 1500, 64k, 512MiB, 4G. Letters of either case; all are powers of 1024.
Parsed<std::uint64_t> parse_size(std::string_view text, std::uint64_t min, std::uint64_t max);
std::string size_text(std::uint64_t bytes);  // as parse_size reads it, in the largest whole unit

struct SocketAddress {
  core::IpAddress ip;
  std::uint16_t port = 0;
};
// 127.0.0.1:7334, [::1]:7334; a name is refused, since it may mean several addresses.
Parsed<SocketAddress> parse_socket_address(std::string_view text);

// Comma-separated networks or single addresses.
Parsed<std::vector<core::Cidr>> parse_cidrs(std::string_view text);

// Comma-separated URLs of relays; wss:// may be left out.
Parsed<std::vector<nostr::RelayUrl>> parse_relays(std::string_view text);

// host[:port]. Comes out as URLs of clients spell it: lower case, no trailing slash or dot, no
// :443.
Parsed<std::string> parse_domain(std::string_view text);

// "/" or "/a/b": as it stands in URLs, so already percent-encoded.
Parsed<std::string> parse_base_path(std::string_view text);

// A level, `off`, or a list of directives as tracing filters write it ("warn,ngit_grasp=debug"):
// the one for this server wins over the bare level. nullopt inside is `off`.
Parsed<std::optional<core::log::Level>> parse_log_level(std::string_view text);
std::string_view log_level_name(std::optional<core::log::Level> level);

}  // namespace graspd::app
