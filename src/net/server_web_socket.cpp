#include "net/server_web_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/beast/zlib/error.hpp>
#include <optional>
#include <utility>

#include "net/handshake.h"
#include "net/incoming_message.h"
#include "net/server_handshake.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace graspd::net {
namespace {

using ErrorCode = BatchedStream::ErrorCode;

// Who ended the conversation waits for no more than this, if for anything.
constexpr std::size_t kLastWordsBytesMax = 256 * 1024;

// Small windows, or thousands of connections could not afford it. With 2 KiB an event shrinks to
// half, with 32 KiB to 40 %. What we receive is little: it gets the smaller window.
websocket::permessage_deflate deflate_options(bool enabled) {
  websocket::permessage_deflate options;
  options.server_enable = enabled;
  options.server_max_window_bits = 11;
  options.client_max_window_bits = 10;
  options.compLevel = 1;
  options.memLevel = 3;
  options.msg_size_threshold = 256;
  return options;
}

NetError reason_of(const ErrorCode& error) {
  if (error == websocket::error::closed || error == asio::error::eof) return NetError::Closed;
  if (error == asio::error::operation_aborted || error == asio::error::connection_reset)
    return NetError::Closed;
  if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow)
    return NetError::TooBig;
  if (error == websocket::condition::protocol_violation) return NetError::Protocol;
  if (error.category() == make_error_code(beast::zlib::error::general).category())
    return NetError::Protocol;
  return NetError::Failed;
}

class BeastWebSocket final : public ServerWebSocket {
 public:
  BeastWebSocket(BatchedStream& stream, const Options& options) : stream_(&stream) {
    beast_.emplace(stream);
    beast_->set_option(deflate_options(options.compression));
    beast_->read_message_max(options.message_bytes_max);
    beast_->auto_fragment(false);
    beast_->write_buffer_bytes(2048);  // used for compression only
    beast_->text(true);
  }

  ServerStream& beast() { return *beast_; }

  Task<core::Result<Message, NetError>> read() override;
  void write(std::string_view text) override;
  std::size_t unsent() const override { return stream_ ? stream_->unsent() : 0; }
  std::size_t held_bytes() const override { return unsent() + message_.held_bytes(); }
  Task<bool> drained_to(std::size_t bytes) override;
  void close(CloseCode code, std::string reason) override;
  void limit_messages(std::size_t bytes_max) override {
    if (beast_) beast_->read_message_max(bytes_max);
  }
  void drop() override {
    lost(NetError::Closed);
    if (stream_) stream_->abort();
  }

  bool has_overdue_message(core::Instant now, core::Duration limit) const override {
    return message_.is_overdue(now, limit);
  }
  void ping() override {
    if (is_open()) stream_->append(kPingFrame);
  }
  void lost(NetError why) override {
    if (!ended_) ended_ = why;
  }
  void detach() override {
    lost(NetError::Closed);
    beast_.reset();
    stream_ = nullptr;
  }

 private:
  // Beast's state turns when it answers the peer's close or a violation; ours when we close.
  bool is_open() const { return stream_ && !ended_ && beast_->is_open(); }
  void end(const ErrorCode& error);

  BatchedStream* stream_;
  std::optional<ServerStream> beast_;
  IncomingMessage message_;
  std::optional<NetError> ended_;
};

Task<core::Result<Message, NetError>> BeastWebSocket::read() {
  message_.clear();
  do {
    if (ended_) co_return core::Failure{*ended_};
    const auto chunk = message_.next_chunk(*beast_);
    const auto [error, size] =
        co_await beast_->async_read_some(chunk, asio::as_tuple(asio::use_awaitable));
    message_.took(size, error || beast_->is_message_done());
    if (error) end(error);
    if (ended_) co_return core::Failure{*ended_};
  } while (!beast_->is_message_done());
  co_return Message{message_.text(), beast_->got_binary()};
}

void BeastWebSocket::end(const ErrorCode& error) {
  // Beast says goodbye itself for everything but broken compression.
  if (stream_ && error.category() == make_error_code(beast::zlib::error::general).category())
    stream_->append(close_frame(CloseCode::InvalidData, "invalid compressed data"));
  lost(reason_of(error));
  if (!stream_) return;
  if (stream_->unsent() > kLastWordsBytesMax) return stream_->abort();
  stream_->finish_writing();
}

void BeastWebSocket::write(std::string_view text) {
  if (!is_open()) return;
  ErrorCode never;
  beast_->write(asio::buffer(text), never);
}

Task<bool> BeastWebSocket::drained_to(std::size_t bytes) {
  if (!stream_) co_return false;
  const bool drained = co_await stream_->drained_to(bytes);
  co_return drained;
}

void BeastWebSocket::close(CloseCode code, std::string reason) {
  if (!stream_ || ended_) return;
  if (beast_->is_open()) stream_->append(close_frame(code, reason));
  lost(NetError::Closed);
  stream_->finish_writing();
  stream_->end_reading();
}

}  // namespace

std::shared_ptr<ServerWebSocket> accept_web_socket(BatchedStream& stream,
                                                   const http::Request& request,
                                                   const http::Headers& response_headers,
                                                   const ServerWebSocket::Options& options) {
  auto socket = std::make_shared<BeastWebSocket>(stream, options);
  if (!accept_handshake(socket->beast(), request, response_headers)) return nullptr;
  return socket;
}

}  // namespace graspd::net
