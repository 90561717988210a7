// The client's end of a WebSocket. Beast is in the .cpp.
//
//   R1  A message beyond `message_bytes_max` ends the connection, also one that inflates beyond it.
//   R2  A peer that is silent while we listen is pinged, and dropped if it stays silent. A peer
//       that takes nothing of what we write is dropped too. While nobody reads, the peer is pinged
//       so that it hears us, and it is not dropped for its silence.
//   R3  The peer may compress with a window of 4 KiB if it grants our request for a small one.
//   R4  Unsent data is limited: a peer that falls behind by more than `outbound_bytes_max`, or that
//       pings and does not take the answers, is dropped.
//   R5  A message that does not end within `message_timeout` ends the connection.
//   R6  `on_held` reports the size of the message buffer whenever it changes, and 0 in the end. The
//       callee may close this socket, or another, at once.
#pragma once
#include <memory>

#include "net/client_handshake.h"
#include "net/dialer.h"
#include "net/dialer_stream.h"

namespace graspd::net {

// Shakes hands over a stream that is connected, and secured if it has to be.
Task<core::Result<std::shared_ptr<WebSocket>, DialError>> open_web_socket(
    std::shared_ptr<DialerStream> stream, WebSocketRequest request, DialOptions options);

}  // namespace graspd::net
