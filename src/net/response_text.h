// A response value as the bytes of HTTP/1.1.
//
//   R1  Content-Length, Transfer-Encoding, Connection, Date and Server are written here; a
//       handler's own are ignored, so that there is never a second one.
//   R2  A header that would break out of its line (CR, LF, NUL) is left out.
//   R3  An answer to HEAD has the header of GET and no body; 1xx, 204 and 304 have no body at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/time.h"
#include "http/message.h"

namespace graspd::net {

struct Framing {
  bool head_only = false;
  bool keep_alive = true;
  core::UnixSeconds unix_seconds = 0;
};

// How the client knows where a body ends.
enum class BodyEnd { Length, LastChunk, Close };

// The head alone; for a body that is sent by someone else.
std::string response_head(const http::Response& response, const Framing& framing, BodyEnd end);

// May a response of this status have a body at all?
bool has_body(std::uint16_t status);

std::string response_text(const http::Response& response, const Framing& framing);

inline constexpr std::string_view kServerName = "graspd";
inline constexpr std::string_view kContinueText = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace graspd::net
