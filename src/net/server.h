// Listens, speaks HTTP/1.1 and upgrades to WebSocket. All of Beast's server side is behind this.
//
//   R1  A failed accept (no more files) pauses accepting; it does not end the server.
//   R2  A connection that has not sent a whole request header within `handshake_timeout` is closed.
//   R3  `Connection: keep-alive, Upgrade` is an upgrade; a bad handshake is answered 400.
//   R4  A handler may refuse an upgrade with an ordinary response, before the 101.
//   R5  Every response carries what the handler's `decorate` adds (CORS), also 400 and 101.
//   R6  stop() refuses new connections, lets handlers finish, and returns when all are gone or the
//       drain time is over. Then sockets are closed and exchanges cancelled.
//   R7  A request is answered whole (`respond`) or as a stream (`exchange`), as the handler decides
//       by its header. Both may follow each other on one connection.
//   R8  A message that does not come to its end within `message_timeout` ends its connection.
//   R9  A connection that the handler does not let in gets a 503 and costs nothing more.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "http/message.h"
#include "net/exchange.h"
#include "net/web_socket.h"

namespace graspd::net {

struct ServerOptions {
  std::size_t network_threads = 1;
  std::size_t connections_max = 0;  // WebSockets at one time; 0: no limit
  std::size_t request_header_bytes_max = 16 * 1024;
  std::size_t request_body_bytes_max = 64 * 1024;
  core::Duration handshake_timeout{10'000};
  core::Duration keep_alive_timeout{60'000};
  std::size_t message_bytes_max = 5 * 1024 * 1024;  // of a WebSocket message, inflated
  // From a message's first byte to its last: 5 MiB over a line of half a megabit.
  core::Duration message_timeout{120'000};
  // What is unsent when a WebSocket ends is sent within this, or not at all.
  core::Duration last_words_timeout{10'000};
  core::Duration ping_interval{30'000};
  core::Duration idle_timeout{75'000};   // nothing heard, not even a pong
  core::Duration write_timeout{30'000};  // outbound bytes that do not move at all
  bool compression = true;               // permessage-deflate, small windows
};

// Where the server listens. A socket handed over by the service manager or a test is a file
// descriptor; otherwise an address to bind.
struct Endpoint {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7334;
  std::optional<int> inherited_fd;
};

class Handler {
 public:
  virtual ~Handler() = default;

  // A connection begins; false closes it at once. leave() follows a true, when the connection ends
  // or becomes a WebSocket. Called on a network thread; must not block.
  virtual bool enter(const core::IpAddress& peer);
  virtual void leave(const core::IpAddress& peer);

  // Called on a network thread; must not block.
  virtual http::Response respond(const http::Request& request) = 0;

  // Is this request, whose body has not been read yet, answered as a stream? Called on a network
  // thread; must not block.
  virtual std::optional<StreamOptions> streams(const http::Request& request);

  // Answers such a request, on its network thread. A handler that returns without an answer gives
  // the client a 500; one that returns after begin() but before finish() cuts the connection, so
  // that nobody takes half an answer for a whole one.
  virtual Task<void> exchange(std::shared_ptr<Exchange> exchange);

  // nullopt lets the upgrade happen.
  virtual std::optional<http::Response> refuse_upgrade(const http::Request& request) = 0;

  // Runs as long as the connection; `thread` is the index of its network thread.
  virtual Task<void> serve(std::shared_ptr<WebSocket> socket, http::Request request,
                           std::size_t thread) = 0;

  // Headers put on every response.
  virtual void decorate(http::Headers& headers) const = 0;
};

struct ServerMeters {
  std::uint64_t flushes = 0;   // system calls that send
  std::uint64_t receives = 0;  // system calls that receive
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t failed_accepts = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  // Begins to take connections, once. Until then clients wait, and none is refused. The handler
  // outlives the server, or its stop().
  virtual void start(Handler& handler) = 0;
  // Runs `work` on network thread `thread`, from any thread.
  virtual void post(std::size_t thread, std::function<void()> work) = 0;
  // Runs a coroutine on network thread `thread`, owned by the server. Called on that thread.
  // `name` is a literal.
  virtual void spawn(std::size_t thread, const char* name, Task<void> task) = 0;
  virtual std::size_t threads() const = 0;
  virtual std::uint16_t port() const = 0;       // the one really bound
  virtual std::size_t connections() const = 0;  // WebSockets open now
  virtual ServerMeters meters() const = 0;
  virtual void stop(core::Duration drain) = 0;  // blocks; from any other thread
};

// Binds and starts the network threads. The failure is a sentence for the operator.
core::Result<std::unique_ptr<Server>, std::string> listen(const Endpoint& endpoint,
                                                          const ServerOptions& options);

}  // namespace graspd::net
