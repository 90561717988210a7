// One TCP connection: HTTP requests in turn, until one of them becomes a WebSocket.
//
//   R1  Requests are answered one after the other; a client that sends faster than it reads is
//       read no further.
//   R2  Whatever ends it, what was written is flushed first, unless the peer does not take it.
//   R3  A handler that throws ends its own connection only.
#pragma once
#include <atomic>
#include <cstddef>

#include "core/file_descriptor.h"
#include "core/ip_address.h"
#include "net/network_thread.h"
#include "net/server.h"

namespace graspd::net {

// What all connections of a server share.
struct ConnectionContext {
  ServerOptions options;
  Handler* handler = nullptr;  // from start() on
  std::atomic<std::size_t> web_sockets = 0;
};

// Starts it on its thread; called there.
void start_connection(NetworkThread& thread, ConnectionContext& context,
                      core::FileDescriptor socket, const core::IpAddress& peer);

}  // namespace graspd::net
