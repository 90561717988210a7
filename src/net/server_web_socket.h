// The server's end of a WebSocket, as the connection below it sees it. Beast is in the .cpp.
//
//   R1  A message beyond `message_bytes_max` is answered with 1009; one that inflates beyond it is
//       cut off while it inflates, so a small bomb stays small in memory.
//   R2  The buffer of a message grows with the bytes received, not with the announced length.
//   R3  After detach() every call is harmless: a handler may keep the socket longer than it lives.
//   R4  If the peer has ended the conversation with more than 256 KiB unsent, they are dropped.
#pragma once
#include <cstddef>
#include <memory>

#include "core/time.h"
#include "http/message.h"
#include "net/batched_stream.h"
#include "net/web_socket.h"

namespace graspd::net {

class ServerWebSocket : public WebSocket {
 public:
  struct Options {
    std::size_t message_bytes_max;
    bool compression;
  };

  // A part of a message has come, and the rest has not within this time.
  virtual bool has_overdue_message(core::Instant now, core::Duration limit) const = 0;
  virtual void ping() = 0;
  // The connection under it was given up, for this reason.
  virtual void lost(NetError why) = 0;
  virtual void detach() = 0;
};

// Sends the 101 with these headers. `request` has passed bad_handshake(); nullptr if it is refused
// all the same. `stream` must live until detach().
std::shared_ptr<ServerWebSocket> accept_web_socket(BatchedStream& stream,
                                                   const http::Request& request,
                                                   const http::Headers& response_headers,
                                                   const ServerWebSocket::Options& options);

}  // namespace graspd::net
