#include "net/http_connection.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "core/log.h"
#include "net/batched_stream.h"
#include "net/clock.h"
#include "net/handshake.h"
#include "net/request_body.h"
#include "net/request_parser.h"
#include "net/response_text.h"
#include "net/server_exchange.h"
#include "net/server_web_socket.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

// How long the peer has to close its side after we closed ours: a round trip around the world,
// and a retransmission.
constexpr core::Duration kGoodbyeMax{3'000};
// Responses a pipelining client has not read yet.
constexpr std::size_t kUnreadResponseBytesMax = 256 * 1024;

// A place among connections_max, given back when the WebSocket ends.
class Seat {
 public:
  explicit Seat(std::atomic<std::size_t>& taken) : taken_(taken) { number_ = ++taken_; }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() { --taken_; }
  std::size_t number() const { return number_; }

 private:
  std::atomic<std::size_t>& taken_;
  std::size_t number_;
};

// A plain connection among those of its peer, until it ends or becomes a WebSocket.
class Visit {
 public:
  Visit(Handler& handler, const core::IpAddress& peer) : handler_(handler), peer_(peer) {}
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { handler_.leave(peer_); }

 private:
  Handler& handler_;
  const core::IpAddress peer_;
};

constexpr std::string_view kNotLetIn =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nConnection: close\r\n"
    "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 40\r\n\r\n"
    "Too many connections from your address.\n";

// What follows a request on its connection.
enum class Next { Request, WebSocket, End };

class HttpConnection final : public Watched {
 public:
  HttpConnection(NetworkThread& thread, ConnectionContext& context, BatchedStream::Socket socket,
                 const core::IpAddress& peer)
      : thread_(thread),
        context_(context),
        options_(context.options),
        peer_(peer),
        visit_(std::in_place, *context.handler, peer),
        stream_(std::move(socket), thread.buffers()) {}

  Task<void> run();

  void check(core::Instant now) override;
  void leave() override;
  void abort() override;

 private:
  Task<void> speak();
  Task<std::optional<http::Request>> speak_http();
  Task<std::optional<RequestHead>> next_request();
  Task<bool> read_head(RequestParser* parser);
  Task<Next> answer(RequestHead* head);
  Task<bool> read_body(RequestHead* head);
  Task<Next> stream(RequestHead head, StreamOptions options);
  Task<void> run_handler();
  Task<void> speak_web_socket(http::Request request);

  std::optional<http::Response> refuse_upgrade(const RequestHead& head);
  void respond(http::Response response, const RequestHead& head);
  void refuse(std::uint16_t status);
  void check_writing(core::Instant now);
  void check_hearing(core::Instant now);
  void check_message(core::Instant now);
  void give_up(NetError why);
  void expect_within(core::Duration time) { deadline_ = now().instant + time; }

  NetworkThread& thread_;
  ConnectionContext& context_;
  const ServerOptions& options_;
  const core::IpAddress peer_;
  std::optional<Visit> visit_;
  BatchedStream stream_;

  std::unique_ptr<Seat> seat_;
  std::shared_ptr<ServerWebSocket> socket_;
  std::shared_ptr<ServerExchange> exchange_;
  asio::cancellation_signal cancel_exchange_;
  bool between_requests_ = true;
  bool answered_any_ = false;
  std::optional<core::Instant> deadline_;
  core::Instant checked_at_ = now().instant;
  core::Instant moved_at_ = now().instant;  // outbound bytes
  std::uint64_t moved_total_ = 0;
  core::Instant heard_at_{};
  core::Instant pinged_at_{};
};

Task<void> HttpConnection::run() {
  std::exception_ptr failure;
  try {
    co_await speak();
  } catch (...) {
    failure = std::current_exception();
  }
  co_await stream_.settle();
  if (socket_) socket_->detach();
  if (exchange_) exchange_->detach();
  if (failure) std::rethrow_exception(failure);
}

Task<void> HttpConnection::speak() {
  auto upgrade = co_await speak_http();
  if (upgrade) co_await speak_web_socket(std::move(*upgrade));
  co_await stream_.goodbye();
}

Task<std::optional<http::Request>> HttpConnection::speak_http() {
  while (true) {
    auto head = co_await next_request();
    if (!head) co_return std::nullopt;
    std::optional<StreamOptions> streams;
    if (!is_upgrade(head->request)) streams = context_.handler->streams(head->request);
    Next next;
    if (streams)
      next = co_await stream(std::move(*head), *streams);
    else
      next = co_await answer(&*head);
    if (next == Next::WebSocket) co_return std::move(head->request);
    if (next == Next::End || thread_.leaving()) co_return std::nullopt;
    const bool open = co_await stream_.drained_to(kUnreadResponseBytesMax);
    if (!open) co_return std::nullopt;
    co_await asio::post(stream_.get_executor(), asio::use_awaitable);
  }
}

Task<std::optional<RequestHead>> HttpConnection::next_request() {
  between_requests_ = true;
  expect_within(answered_any_ ? options_.keep_alive_timeout : options_.handshake_timeout);
  RequestParser parser(options_.request_header_bytes_max);
  const bool complete = co_await read_head(&parser);
  deadline_.reset();
  if (!complete) co_return std::nullopt;
  if (parser.state() == RequestParser::State::Refused) {
    refuse(parser.refusal());
    co_return std::nullopt;
  }
  RequestHead head = parser.take();
  head.request.peer = peer_;
  co_return head;
}

// False: the peer is gone.
Task<bool> HttpConnection::read_head(RequestParser* parser) {
  while (true) {
    if (!stream_.held().empty()) {
      if (std::exchange(between_requests_, false) && answered_any_)
        expect_within(options_.handshake_timeout);
      stream_.consume(parser->put(stream_.held()));
    }
    if (parser->state() != RequestParser::State::Head) co_return true;
    const bool more = co_await stream_.fill();
    if (!more) co_return false;
  }
}

Task<Next> HttpConnection::answer(RequestHead* head) {
  const bool complete = co_await read_body(head);
  deadline_.reset();
  if (!complete) co_return Next::End;
  const bool upgrade = is_upgrade(head->request);
  auto refusal = upgrade ? refuse_upgrade(*head) : std::nullopt;
  if (upgrade && !refusal) co_return Next::WebSocket;
  head->keep_alive = head->keep_alive && !upgrade && !thread_.leaving();
  respond(refusal ? std::move(*refusal) : context_.handler->respond(head->request), *head);
  co_return head->keep_alive ? Next::Request : Next::End;
}

// False: the peer is gone, or has got its refusal.
Task<bool> HttpConnection::read_body(RequestHead* head) {
  RequestBody body(head->framing, {options_.request_body_bytes_max, 1});
  expect_within(options_.handshake_timeout);
  while (!body.ended()) {
    const auto part = body.next(stream_.held());
    if (!part) {
      refuse(part.error() == NetError::TooBig ? 413 : 400);
      co_return false;
    }
    head->request.body += part->bytes;
    stream_.consume(part->taken);
    if (body.ended() || part->taken > 0) continue;
    if (std::exchange(head->expects_continue, false)) stream_.append(kContinueText);
    const bool more = co_await stream_.fill();
    if (!more) co_return false;
  }
  co_return true;
}

Task<Next> HttpConnection::stream(RequestHead head, StreamOptions options) {
  const auto compression = compression_of(head.request.headers);
  if (!compression && !head.framing.ended()) {
    refuse(415);
    co_return Next::End;
  }
  const bool compressed = compression && !head.framing.ended();
  answered_any_ = true;
  exchange_ = std::make_shared<ServerExchange>(stream_, thread_, *context_.handler, std::move(head),
                                               options, compressed ? *compression : std::nullopt);
  co_await run_handler();
  const bool again = co_await exchange_->conclude();
  exchange_->detach();
  exchange_.reset();
  co_return again ? Next::Request : Next::End;
}

// In a coroutine of its own, for it may be cancelled and this connection may not.
Task<void> HttpConnection::run_handler() {
  const auto [failure] = co_await asio::co_spawn(
      stream_.get_executor(), context_.handler->exchange(exchange_),
      asio::bind_cancellation_slot(cancel_exchange_.slot(), asio::as_tuple(asio::use_awaitable)));
  if (!failure || !stream_.open()) co_return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    core::log::error("an exchange's handler failed: {}", error.what());
  } catch (...) {
    core::log::error("an exchange's handler failed by an exception of unknown type");
  }
}

std::optional<http::Response> HttpConnection::refuse_upgrade(const RequestHead& head) {
  if (auto refusal = context_.handler->refuse_upgrade(head.request)) return refusal;
  if (auto refusal = bad_handshake(head.request, head.is_http_1_1)) return refusal;
  seat_ = std::make_unique<Seat>(context_.web_sockets);
  const bool full = options_.connections_max != 0 && seat_->number() > options_.connections_max;
  if (!full && !thread_.leaving()) return std::nullopt;
  seat_.reset();
  http::Response busy = http::text_response(503, "Too many connections.\n");
  busy.headers.add("Retry-After", "60");
  return busy;
}

void HttpConnection::respond(http::Response response, const RequestHead& head) {
  answered_any_ = true;
  context_.handler->decorate(response.headers);
  const bool head_only = head.request.method == http::Method::Head;
  stream_.append(response_text(response, {head_only, head.keep_alive, now().unix_seconds}));
}

void HttpConnection::refuse(std::uint16_t status) {
  respond(http::text_response(status, "The request cannot be read.\n"), RequestHead{});
}

Task<void> HttpConnection::speak_web_socket(http::Request request) {
  http::Headers headers;
  context_.handler->decorate(headers);
  socket_ = accept_web_socket(stream_, request, headers,
                              {options_.message_bytes_max, options_.compression});
  if (!socket_) co_return;
  visit_.reset();
  heard_at_ = pinged_at_ = now().instant;
  try {
    co_await context_.handler->serve(socket_, std::move(request), thread_.index());
    socket_->close(CloseCode::Normal, "");
  } catch (const std::exception& error) {
    core::log::error("a WebSocket's handler failed: {}", error.what());
    socket_->close(CloseCode::InternalError, "internal error");
  }
  seat_.reset();
  expect_within(options_.last_words_timeout);
}

void HttpConnection::check(core::Instant now) {
  if (deadline_ && now >= *deadline_) return give_up(NetError::TimedOut);
  if (stream_.finished_writing()) {
    if (!deadline_ || *deadline_ > now + kGoodbyeMax) deadline_ = now + kGoodbyeMax;
    return;
  }
  check_writing(now);
  if (socket_) {
    check_hearing(now);
    check_message(now);
  }
  if (exchange_) exchange_->check_reading(now);
}

void HttpConnection::check_writing(core::Instant now) {
  const core::Duration since = now - std::exchange(checked_at_, now);
  const bool slow = exchange_ && stream_.writing() &&
                    exchange_->is_read_too_slowly(since, stream_.sent_total() - moved_total_);
  if (slow) return give_up(NetError::TimedOut);
  if (!stream_.writing() || stream_.sent_total() != moved_total_) {
    moved_total_ = stream_.sent_total();
    moved_at_ = now;
  } else if (now - moved_at_ >= options_.write_timeout) {
    give_up(NetError::TimedOut);
  }
}

// A peer is only silent while we listen.
void HttpConnection::check_hearing(core::Instant now) {
  if (stream_.take_heard() || !stream_.waiting_for_peer()) {
    heard_at_ = pinged_at_ = now;
  } else if (now - heard_at_ >= options_.idle_timeout) {
    give_up(NetError::TimedOut);
  } else if (now - pinged_at_ >= options_.ping_interval) {
    pinged_at_ = now;
    socket_->ping();
  }
}

void HttpConnection::check_message(core::Instant now) {
  if (socket_->has_overdue_message(now, options_.message_timeout)) give_up(NetError::TooSlow);
}

void HttpConnection::leave() {
  if (socket_)
    socket_->close(CloseCode::GoingAway, "the server is stopping");
  else if (between_requests_)
    stream_.end_reading();
}

void HttpConnection::abort() {
  give_up(NetError::Closed);
  cancel_exchange_.emit(asio::cancellation_type::terminal);
}

void HttpConnection::give_up(NetError why) {
  if (socket_) socket_->lost(why);
  if (exchange_) exchange_->lost(why);
  stream_.abort();
}

Task<void> run_connection(NetworkThread* thread, std::unique_ptr<HttpConnection> connection) {
  co_await connection->run();
  connection.reset();
  thread->end_if_done();
}

}  // namespace

void start_connection(NetworkThread& thread, ConnectionContext& context,
                      core::FileDescriptor socket, const core::IpAddress& peer) {
  if (!context.handler->enter(peer)) {
    ::send(socket.get(), kNotLetIn.data(), kNotLetIn.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  const auto protocol = peer.is_v4() ? asio::ip::tcp::v4() : asio::ip::tcp::v6();
  BatchedStream::Socket assigned(thread.executor());
  boost::system::error_code error;
  assigned.assign(protocol, socket.get(), error);
  if (error) return context.handler->leave(peer);
  static_cast<void>(socket.release());  // it is the stream's now
  auto connection = std::make_unique<HttpConnection>(thread, context, std::move(assigned), peer);
  thread.watch(*connection);
  thread.spawn("a connection", run_connection(&thread, std::move(connection)));
}

}  // namespace graspd::net
