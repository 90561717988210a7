#include "net/handshake.h"

#include <algorithm>
#include <cstdint>

namespace graspd::net {
namespace {

// A control frame's payload is at most 125 bytes, two of them the code.
constexpr std::size_t kReasonBytesMax = 123;

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

// Sixteen bytes in base64.
bool is_key(std::string_view key) {
  return key.size() == 24 && key.ends_with("==") &&
         std::all_of(key.begin(), key.end() - 2, is_base64);
}

http::Response refusal(std::string why) {
  http::Response response = http::text_response(400, std::move(why));
  response.headers.add("Sec-WebSocket-Version", "13");
  return response;
}

std::string_view cut(std::string_view reason) {
  if (reason.size() <= kReasonBytesMax) return reason;
  std::size_t size = kReasonBytesMax;
  while (size > 0 && (static_cast<unsigned char>(reason[size]) & 0xC0) == 0x80) --size;
  return reason.substr(0, size);
}

}  // namespace

bool is_upgrade(const http::Request& request) {
  return request.headers.has_token("Upgrade", "websocket") &&
         request.headers.has_token("Connection", "upgrade");
}

std::optional<http::Response> bad_handshake(const http::Request& request, bool is_http_1_1) {
  if (request.method != http::Method::Get || !is_http_1_1)
    return refusal("A WebSocket starts with GET in HTTP/1.1.\n");
  if (!request.headers.get("Host")) return refusal("The Host header is missing.\n");
  if (!request.body.empty()) return refusal("A WebSocket handshake has no body.\n");
  if (request.headers.get("Sec-WebSocket-Version") != "13")
    return refusal("The WebSocket version has to be 13.\n");
  const auto key = request.headers.get("Sec-WebSocket-Key");
  if (!key || !is_key(*key)) return refusal("Sec-WebSocket-Key is missing or malformed.\n");
  return std::nullopt;
}

std::string close_frame(CloseCode code, std::string_view reason) {
  const std::string_view fitting = cut(reason);
  const auto number = static_cast<std::uint16_t>(code);
  std::string frame = {'\x88', static_cast<char>(fitting.size() + 2),
                       static_cast<char>(number >> 8), static_cast<char>(number & 0xFF)};
  return frame.append(fitting);
}

}  // namespace graspd::net
