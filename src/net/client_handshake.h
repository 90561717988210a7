// Opens a WebSocket to a peer, with Beast.
#pragma once
#include <boost/beast/websocket/stream_fwd.hpp>
#include <optional>
#include <string>

#include "http/message.h"
#include "net/dialer.h"
#include "net/dialer_stream.h"
#include "net/task.h"

namespace graspd::net {

struct WebSocketRequest {
  std::string peer;         // what errors call it
  std::string host_header;  // host, and port unless it is the usual one
  std::string path;
};

using ClientStream = boost::beast::websocket::stream<DialerStreamHandle>;

// Beast gives a connection up by this.
void beast_close_socket(DialerStreamHandle& handle);

// nullopt: it is open. The stream must live until then.
Task<std::optional<DialError>> shake_hands(ClientStream* stream, WebSocketRequest request,
                                           http::Headers headers);

}  // namespace graspd::net
