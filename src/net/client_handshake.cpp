#include "net/client_handshake.h"

#include <boost/beast/websocket/stream.hpp>
#include <charconv>
#include <fmt/format.h>

#include "net/no_throw.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace graspd::net {
namespace {

// A date is not read: whoever limits rates says seconds.
std::optional<core::Duration> retry_after(const websocket::response_type& response) {
  const auto text = response[beast::http::field::retry_after];
  std::uint32_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return std::chrono::seconds(seconds);
}

DialError handshake_error(const DialerStream::ErrorCode& error,
                          const websocket::response_type& response, const std::string& peer) {
  if (error == websocket::error::upgrade_declined) {
    const auto status = static_cast<std::uint16_t>(response.result_int());
    return {DialFailure::NotAWebSocket,
            fmt::format("{} answered HTTP {} instead of opening a WebSocket", peer, status), status,
            retry_after(response)};
  }
  if (error == asio::error::eof || error == beast::http::error::end_of_stream ||
      error == asio::error::connection_reset)
    return {DialFailure::Failed, fmt::format("{} hung up during the handshake", peer)};
  if (error.category() == asio::error::get_system_category())
    return {DialFailure::Failed, fmt::format("{}: {}", peer, error.message())};
  return {DialFailure::NotAWebSocket, fmt::format("{} does not speak WebSocket here", peer)};
}

}  // namespace

Task<std::optional<DialError>> shake_hands(ClientStream* stream, WebSocketRequest request,
                                           http::Headers headers) {
  stream->set_option(websocket::stream_base::decorator([&](auto& handshake) {
    for (const auto& [name, value] : headers.fields()) handshake.set(name, value);
  }));
  websocket::response_type response;
  const auto [error] =
      co_await stream->async_handshake(response, request.host_header, request.path, kNoThrow);
  stream->set_option(websocket::stream_base::decorator([](auto&) {}));
  if (!error) co_return std::nullopt;
  co_return handshake_error(error, response, request.peer);
}

}  // namespace graspd::net
