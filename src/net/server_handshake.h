// Opens a WebSocket that a peer requests, with Beast.
#pragma once
#include <boost/beast/websocket/stream_fwd.hpp>

#include "http/message.h"
#include "net/batched_stream.h"

namespace graspd::net {

using ServerStream = boost::beast::websocket::stream<BatchedStream&>;

// Sends the 101 with these headers. `request` has passed bad_handshake(); false if Beast refuses it
// all the same.
bool accept_handshake(ServerStream& stream, const http::Request& request,
                      const http::Headers& response_headers);

}  // namespace graspd::net
