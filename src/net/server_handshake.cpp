#include "net/server_handshake.h"

#include <boost/beast/websocket/stream.hpp>

#include "net/response_text.h"

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace graspd::net {
namespace {

// Beast looks at the first field of each name only; we have looked at all of them.
beast::http::request<beast::http::empty_body> as_beast_expects_it(const http::Request& request) {
  using beast::http::field;
  beast::http::request<beast::http::empty_body> handshake{beast::http::verb::get, "/", 11};
  handshake.set(field::host, request.headers.get("Host").value_or(""));
  handshake.set(field::connection, "Upgrade");
  handshake.set(field::upgrade, "websocket");
  handshake.set(field::sec_websocket_version, "13");
  handshake.set(field::sec_websocket_key, request.headers.get("Sec-WebSocket-Key").value_or(""));
  if (const auto extensions = request.headers.joined("Sec-WebSocket-Extensions"))
    handshake.set(field::sec_websocket_extensions, *extensions);
  return handshake;
}

}  // namespace

bool accept_handshake(ServerStream& stream, const http::Request& request,
                      const http::Headers& response_headers) {
  const auto handshake = as_beast_expects_it(request);
  stream.set_option(websocket::stream_base::decorator([&](websocket::response_type& response) {
    response.set(beast::http::field::server, kServerName);
    for (const auto& [name, value] : response_headers.fields()) response.insert(name, value);
  }));
  BatchedStream::ErrorCode error;
  stream.accept(handshake, error);
  stream.set_option(websocket::stream_base::decorator([](websocket::response_type&) {}));
  return !error;
}

}  // namespace graspd::net
