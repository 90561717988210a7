// Opens connections to other relays. All of the client side of sockets, TLS and Beast is behind
// this.
//
//   R1  A name and every address that it resolves to are checked (core/address_class.h), unless
//       private ones are allowed: if one is not public, no connection is made. The connection goes
//       to a checked address, and the name is not resolved again. So a URL that a stranger wrote
//       leads only to the public internet.
//   R2  TLS is 1.2 or newer, with a certificate that a known authority signed for this host.
//       Nothing turns that off.
//   R3  One deadline covers name, TCP, TLS and handshake. Several addresses share it.
//   R4  Redirects are not followed: they would bypass R1.
//   R5  Nothing blocks, and no connection has its own thread. An idle one holds about 22 KiB, most
//       of it for compression.
//   R6  A dialer is used from one thread, that of the coroutines which await it. Dials in progress
//       and sockets may outlive it; they may not outlive their event loop.
//   R7  Cancelling a dial ends it at once, whatever it waits for.
//   R8  close() says goodbye and lets written data arrive. Dropping the last reference to a socket
//       cuts the connection.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"
#include "core/time.h"
#include "http/message.h"
#include "net/task.h"
#include "net/web_socket.h"

namespace graspd::net {

enum class DialFailure {
  Name,           // the name is unknown, or nobody could be asked
  Forbidden,      // R1
  Refused,        // nobody listens there, or there is no way
  TimedOut,       // R3
  Tls,            // R2
  NotAWebSocket,  // it speaks, but not that: see http_status
  Failed,         // the connection broke
};

struct DialError {
  DialFailure kind = DialFailure::Failed;
  std::string text;                           // a sentence that names the peer
  std::uint16_t http_status = 0;              // what it answered instead, if that was HTTP
  std::optional<core::Duration> retry_after;  // as it asked for, in seconds
};

struct DialTarget {
  std::string host;  // a name or an address, without brackets
  std::uint16_t port = 443;
  std::string path = "/";  // with query; empty counts as "/"
  bool tls = true;
};

struct DialOptions {
  core::Duration dial_timeout{15'000};  // R3
  bool allow_private_addresses = false;
  http::Headers headers;                              // of the handshake: User-Agent and the like
  std::size_t message_bytes_max = 5 * 1024 * 1024;    // inflated
  std::size_t outbound_bytes_max = 32 * 1024 * 1024;  // not sent yet; beyond, the peer is left
  bool compression = true;                            // permessage-deflate is offered
  core::Duration ping_interval{30'000};
  core::Duration idle_timeout{75'000};   // nothing heard, not even a pong
  core::Duration write_timeout{30'000};  // outbound bytes that do not move at all
  core::Duration answer_timeout{0};      // no message while one is awaited; 0: pongs are enough
  // From a message's first byte to its last, as for clients (ServerOptions): 5 MiB over a line of
  // half a megabit.
  core::Duration message_timeout{120'000};
  // Told what is kept of a message that has not come whole, whenever that changes.
  std::function<void(std::size_t bytes)> on_held = {};
};

struct HttpGetOptions {
  core::Duration timeout{15'000};  // of it all
  bool allow_private_addresses = false;
  http::Headers headers;
  std::size_t body_bytes_max = 256 * 1024;
};

// What a name stands for, or why that is not known. Blocks; called on threads of the resolver.
using Lookup =
    std::function<core::Result<std::vector<core::IpAddress>, std::string>(const std::string& host)>;

struct DialerOptions {
  Lookup lookup;                          // empty: as the system does
  std::size_t lookup_threads = 4;         // names asked for at one time
  core::Duration name_lifetime{60'000};   // an answer is believed this long
  core::Duration error_lifetime{10'000};  // and a failure this long
  std::string extra_ca_file;              // PEM, believed besides the system's authorities
};

class Dialer {
 public:
  virtual ~Dialer() = default;

  virtual Task<core::Result<std::shared_ptr<WebSocket>, DialError>> dial(DialTarget target,
                                                                         DialOptions options) = 0;
  // One GET (NIP-11). Any status is an answer, a redirect too (R4).
  virtual Task<core::Result<http::Response, DialError>> http_get(DialTarget target,
                                                                 HttpGetOptions options) = 0;
  // One POST of this body; its type is among the headers.
  virtual Task<core::Result<http::Response, DialError>> http_post(DialTarget target,
                                                                  std::string body,
                                                                  HttpGetOptions options) = 0;
};

std::unique_ptr<Dialer> make_dialer(DialerOptions options);

}  // namespace graspd::net
