#include "net/web_socket_client.h"

#include <algorithm>
#include <array>
#include <boost/beast/websocket/stream.hpp>
#include <boost/beast/zlib/error.hpp>
#include <chrono>
#include <openssl/rand.h>
#include <utility>

#include "core/check.h"
#include "net/client_handshake.h"
#include "net/clock.h"
#include "net/handshake.h"
#include "net/incoming_message.h"
#include "net/no_throw.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace graspd::net {

// Beast ends a connection by these. After the closing handshake the socket's owner does the rest.
void teardown(beast::role_type, DialerStreamHandle&, DialerStreamHandle::ErrorCode& error) {
  error = {};
}
template <class Handler>
void async_teardown(beast::role_type, DialerStreamHandle& handle, Handler&& handler) {
  asio::post(handle.get_executor(),
             asio::append(std::forward<Handler>(handler), DialerStreamHandle::ErrorCode{}));
}
void beast_close_socket(DialerStreamHandle& handle) { handle.stream().abort(); }

namespace {

using core::Failure;
using core::Result;
using ErrorCode = DialerStream::ErrorCode;

// Timeouts are looked after this often, or more often when they are short.
constexpr core::Duration kWatchInterval{2'000};

// Answers to pings that a peer has not taken: nobody who listens leaves so many.
constexpr std::size_t kUntakenPongBytesMax = 64 * 1024;
constexpr std::size_t kFrameHeadBytes = 6;

constexpr char kPingOpcode = '\x9';

websocket::permessage_deflate deflate_options(bool enabled) {
  websocket::permessage_deflate options;
  options.client_enable = enabled;
  options.server_max_window_bits = 12;  // R3
  options.client_max_window_bits = 11;
  options.compLevel = 1;
  options.memLevel = 3;
  options.msg_size_threshold = 256;
  return options;
}

bool is_zlib(const ErrorCode& error) {
  return error.category() == make_error_code(beast::zlib::error::general).category();
}

NetError reason_of(const ErrorCode& error) {
  if (error == websocket::error::closed || error == asio::error::eof) return NetError::Closed;
  if (error == asio::error::operation_aborted || error == asio::error::connection_reset)
    return NetError::Closed;
  if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow)
    return NetError::TooBig;
  if (error == websocket::condition::protocol_violation || is_zlib(error))
    return NetError::Protocol;
  return NetError::Failed;
}

// A control frame as a client sends it. `payload` fits (125 bytes).
std::string masked_frame(char opcode, std::string_view payload) {
  std::array<unsigned char, 4> mask;
  CHECK(RAND_bytes(mask.data(), mask.size()) == 1);
  std::string frame = {static_cast<char>(0x80 | opcode), static_cast<char>(0x80 | payload.size())};
  frame.append(mask.begin(), mask.end());
  for (std::size_t i = 0; i < payload.size(); ++i)
    frame += static_cast<char>(payload[i] ^ mask[i % mask.size()]);
  return frame;
}

// The server's closing frame, masked.
std::string masked_close_frame(CloseCode code, std::string_view reason) {
  const std::string frame = close_frame(code, reason);
  return masked_frame(static_cast<char>(frame[0] & 0x0F), std::string_view(frame).substr(2));
}

class ClientWebSocket final : public WebSocket,
                              public std::enable_shared_from_this<ClientWebSocket> {
 public:
  ClientWebSocket(std::shared_ptr<DialerStream> stream, DialOptions options)
      : options_(std::move(options)),
        stream_(std::move(stream)),
        beast_(DialerStreamHandle(stream_)),
        timer_(stream_->get_executor()) {
    beast_.set_option(deflate_options(options_.compression));
    beast_.read_message_max(options_.message_bytes_max);
    beast_.auto_fragment(false);
    beast_.write_buffer_bytes(2048);
    beast_.text(true);
  }
  ~ClientWebSocket() override {
    if (held_told_ > 0) options_.on_held(0);
    if (is_open()) stream_->append(masked_close_frame(CloseCode::Normal, ""));
    if (!ended_) stream_->cut();
  }

  Task<std::optional<DialError>> open(WebSocketRequest request);
  void start_watch();  // the timers, and what the peer makes us answer

  Task<Result<Message, NetError>> read() override;
  void write(std::string_view text) override;
  std::size_t unsent() const override { return stream_->unsent(); }
  std::size_t held_bytes() const override { return unsent() + message_.held_bytes(); }
  WireBytes wire_bytes() const override {
    return {stream_->received_total(), stream_->sent_total()};
  }
  Task<bool> drained_to(std::size_t bytes) override { return stream_->drained_to(bytes); }
  void close(CloseCode code, std::string reason) override;

 private:
  bool is_open() const { return !ended_ && beast_.is_open(); }
  void tell_held();
  void end(const ErrorCode& error);
  void watch_later();
  void check(core::Instant now);
  void check_hearing(core::Instant now);
  void check_messages(core::Instant now);
  void check_writing(core::Instant now);
  void give_up(NetError why = NetError::TimedOut);
  void pinged(std::size_t bytes);

  const DialOptions options_;
  std::shared_ptr<DialerStream> stream_;
  ClientStream beast_;
  IncomingMessage message_;
  std::size_t held_told_ = 0;
  std::optional<NetError> ended_;
  asio::steady_timer timer_;
  core::Instant heard_at_, pinged_at_, awaited_since_, moved_at_;
  std::uint64_t moved_total_ = 0;
  std::size_t untaken_pong_bytes_ = 0;  // since everything had been sent
};

Task<std::optional<DialError>> ClientWebSocket::open(WebSocketRequest request) {
  auto handshake = shake_hands(&beast_, std::move(request), options_.headers);
  auto error = co_await std::move(handshake);
  if (error) ended_ = NetError::Failed;
  co_return error;
}

Task<Result<Message, NetError>> ClientWebSocket::read() {
  const auto self = shared_from_this();
  awaited_since_ = now().instant;
  message_.clear();
  do {
    if (ended_) co_return Failure{*ended_};
    const auto chunk = message_.next_chunk(beast_);
    tell_held();
    const auto [error, size] = co_await beast_.async_read_some(chunk, kNoThrow);
    message_.took(size, error || beast_.is_message_done());
    if (error) end(error);
    if (ended_) co_return Failure{*ended_};
  } while (!beast_.is_message_done());
  co_return Message{message_.text(), beast_.got_binary()};
}

// R6
void ClientWebSocket::tell_held() {
  if (!options_.on_held || message_.held_bytes() == held_told_) return;
  held_told_ = message_.held_bytes();
  options_.on_held(held_told_);
}

void ClientWebSocket::end(const ErrorCode& error) {
  // Beast says goodbye itself for everything but broken compression.
  if (!ended_ && is_zlib(error))
    stream_->append(masked_close_frame(CloseCode::InvalidData, "invalid compressed data"));
  if (!ended_) ended_ = reason_of(error);
  timer_.cancel();
  stream_->goodbye();
}

void ClientWebSocket::write(std::string_view text) {
  if (!is_open()) return;
  if (stream_->unsent() > options_.outbound_bytes_max) return give_up();
  ErrorCode never;
  beast_.write(asio::buffer(text), never);
}

void ClientWebSocket::close(CloseCode code, std::string reason) {
  if (ended_) return;
  if (beast_.is_open()) stream_->append(masked_close_frame(code, reason));
  ended_ = NetError::Closed;
  timer_.cancel();
  stream_->goodbye();
}

void ClientWebSocket::start_watch() {
  heard_at_ = pinged_at_ = awaited_since_ = moved_at_ = now().instant;
  beast_.control_callback([this](websocket::frame_type kind, beast::string_view payload) {
    if (kind == websocket::frame_type::ping) pinged(kFrameHeadBytes + payload.size());
  });
  watch_later();
}

void ClientWebSocket::pinged(std::size_t bytes) {
  if (stream_->unsent() == 0) untaken_pong_bytes_ = 0;
  untaken_pong_bytes_ += bytes;
  if (untaken_pong_bytes_ > kUntakenPongBytesMax) give_up(NetError::Protocol);
}

void ClientWebSocket::watch_later() {
  core::Duration interval = kWatchInterval;
  for (const core::Duration limit :
       {options_.ping_interval, options_.idle_timeout, options_.write_timeout,
        options_.answer_timeout, options_.message_timeout}) {
    if (limit.count() > 0) interval = std::min(interval, limit / 4);
  }
  timer_.expires_after(std::max(interval, core::Duration(5)));
  timer_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->check(now().instant);
    if (!self->ended_) self->watch_later();
  });
}

void ClientWebSocket::check(core::Instant now) {
  check_writing(now);
  check_hearing(now);
  check_messages(now);
}

void ClientWebSocket::check_writing(core::Instant now) {
  if (stream_->unsent() == 0 || stream_->sent_total() != moved_total_) {
    moved_total_ = stream_->sent_total();
    moved_at_ = now;
  } else if (now - moved_at_ >= options_.write_timeout) {
    give_up();
  }
}

// A peer is only silent while we listen. While we do not, its own pings go unanswered, so it is to
// hear ours.
void ClientWebSocket::check_hearing(core::Instant now) {
  const bool heard = stream_->take_heard();
  if (heard) pinged_at_ = now;
  if (heard || !stream_->waiting_for_peer()) heard_at_ = now;
  if (now - heard_at_ >= options_.idle_timeout) {
    give_up();
  } else if (now - pinged_at_ >= options_.ping_interval && is_open()) {
    pinged_at_ = now;
    stream_->append(masked_frame(kPingOpcode, ""));
  }
}

void ClientWebSocket::check_messages(core::Instant now) {
  if (message_.is_overdue(now, options_.message_timeout)) return give_up(NetError::TooSlow);
  if (options_.answer_timeout.count() == 0) return;
  if (!stream_->waiting_for_peer())
    awaited_since_ = now;
  else if (now - awaited_since_ >= options_.answer_timeout)
    give_up();
}

void ClientWebSocket::give_up(NetError why) {
  if (!ended_) ended_ = why;
  stream_->abort();
}

}  // namespace

Task<Result<std::shared_ptr<WebSocket>, DialError>> open_web_socket(
    std::shared_ptr<DialerStream> stream, WebSocketRequest request, DialOptions options) {
  auto socket = std::make_shared<ClientWebSocket>(stream, std::move(options));
  auto error = co_await socket->open(std::move(request));
  if (error) {
    stream->abort();
    co_return Failure{std::move(*error)};
  }
  socket->start_watch();
  co_return std::shared_ptr<WebSocket>(std::move(socket));
}

}  // namespace graspd::net
