// The messages of the WebSocket opening and closing, as values (RFC 6455 §4.2, §5.5).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "net/web_socket.h"

namespace graspd::net {

// Does it ask to become a WebSocket? Names and tokens compare without regard to case.
bool is_upgrade(const http::Request& request);

// Why this upgrade cannot be: 400, naming the version we speak. nullopt: it can.
std::optional<http::Response> bad_handshake(const http::Request& request, bool is_http_1_1);

// Control frames as a server sends them. A reason that does not fit is cut between characters.
std::string close_frame(CloseCode code, std::string_view reason);
inline constexpr std::string_view kPingFrame{"\x89\x00", 2};

}  // namespace graspd::net
