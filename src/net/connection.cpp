#include "net/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "core/log.h"
#include "net/batched_stream.h"
#include "net/clock.h"
#include "net/handshake.h"
#include "net/request_parser.h"
#include "net/response_text.h"
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

struct Incoming {
  http::Request request;
  bool keep_alive = false;
  bool is_http_1_1 = false;
};

class Connection final : public Watched {
 public:
  Connection(NetworkThread& thread, ConnectionContext& context, BatchedStream::Socket socket,
             const core::IpAddress& peer)
      : thread_(thread),
        context_(context),
        options_(context.options),
        peer_(peer),
        stream_(std::move(socket), thread.buffers()) {}

  Task<void> run();

  void check(core::Instant now) override;
  void leave() override;
  void abort() override { give_up(NetError::Closed); }

 private:
  Task<void> speak();
  Task<std::optional<http::Request>> speak_http();
  Task<std::optional<Incoming>> next_request();
  Task<bool> read_request(RequestParser* parser);
  Task<void> speak_web_socket(http::Request request);

  std::optional<http::Response> refuse_upgrade(const Incoming& incoming);
  void respond(http::Response response, const Incoming& incoming);
  void check_writing(core::Instant now);
  void check_hearing(core::Instant now);
  void give_up(NetError why);
  void expect_within(core::Duration time) { deadline_ = now().instant + time; }

  NetworkThread& thread_;
  ConnectionContext& context_;
  const ServerOptions& options_;
  const core::IpAddress peer_;
  BatchedStream stream_;

  std::unique_ptr<Seat> seat_;
  std::shared_ptr<ServerWebSocket> socket_;
  bool between_requests_ = true;
  bool answered_any_ = false;
  std::optional<core::Instant> deadline_;
  core::Instant moved_at_ = now().instant;  // outbound bytes
  std::uint64_t moved_total_ = 0;
  core::Instant heard_at_{};
  core::Instant pinged_at_{};
};

Task<void> Connection::run() {
  std::exception_ptr failure;
  try {
    co_await speak();
  } catch (...) {
    failure = std::current_exception();
  }
  co_await stream_.settle();
  if (socket_) socket_->detach();
  if (failure) std::rethrow_exception(failure);
}

Task<void> Connection::speak() {
  auto upgrade = co_await speak_http();
  if (upgrade) co_await speak_web_socket(std::move(*upgrade));
  co_await stream_.goodbye();
}

Task<std::optional<http::Request>> Connection::speak_http() {
  while (true) {
    auto incoming = co_await next_request();
    if (!incoming) co_return std::nullopt;
    const bool upgrade = is_upgrade(incoming->request);
    auto refusal = upgrade ? refuse_upgrade(*incoming) : std::nullopt;
    if (upgrade && !refusal) co_return std::move(incoming->request);
    incoming->keep_alive = incoming->keep_alive && !upgrade && !thread_.leaving();
    respond(refusal ? std::move(*refusal) : context_.handler.respond(incoming->request), *incoming);
    if (!incoming->keep_alive) co_return std::nullopt;
    const bool open = co_await stream_.drained_to(kUnreadResponseBytesMax);
    if (!open) co_return std::nullopt;
    co_await asio::post(stream_.get_executor(), asio::use_awaitable);
  }
}

Task<std::optional<Incoming>> Connection::next_request() {
  between_requests_ = true;
  expect_within(answered_any_ ? options_.keep_alive_timeout : options_.handshake_timeout);
  RequestParser parser({options_.request_header_bytes_max, options_.request_body_bytes_max});
  const bool complete = co_await read_request(&parser);
  deadline_.reset();
  if (!complete) co_return std::nullopt;
  if (parser.state() == RequestParser::State::Refused) {
    respond(http::text_response(parser.refusal(), "The request cannot be read.\n"), Incoming{});
    co_return std::nullopt;
  }
  Incoming incoming;
  incoming.keep_alive = parser.keep_alive();
  incoming.is_http_1_1 = parser.is_http_1_1();
  incoming.request = parser.take_request();
  incoming.request.peer = peer_;
  co_return incoming;
}

// False: the peer is gone.
Task<bool> Connection::read_request(RequestParser* parser) {
  using State = RequestParser::State;
  bool in_body = false;
  while (true) {
    if (!stream_.held().empty()) {
      if (std::exchange(between_requests_, false) && answered_any_)
        expect_within(options_.handshake_timeout);
      stream_.consume(parser->put(stream_.held()));
    }
    if (parser->state() == State::Done || parser->state() == State::Refused) co_return true;
    if (parser->state() == State::Body && !std::exchange(in_body, true)) {
      expect_within(options_.handshake_timeout);
      if (parser->expects_continue()) stream_.append(kContinueText);
    }
    const bool more = co_await stream_.fill();
    if (!more) co_return false;
  }
}

std::optional<http::Response> Connection::refuse_upgrade(const Incoming& incoming) {
  if (auto refusal = context_.handler.refuse_upgrade(incoming.request)) return refusal;
  if (auto refusal = bad_handshake(incoming.request, incoming.is_http_1_1)) return refusal;
  seat_ = std::make_unique<Seat>(context_.web_sockets);
  const bool full = options_.connections_max != 0 && seat_->number() > options_.connections_max;
  if (!full && !thread_.leaving()) return std::nullopt;
  seat_.reset();
  http::Response busy = http::text_response(503, "Too many connections.\n");
  busy.headers.add("Retry-After", "60");
  return busy;
}

void Connection::respond(http::Response response, const Incoming& incoming) {
  answered_any_ = true;
  context_.handler.decorate(response.headers);
  const bool head_only = incoming.request.method == http::Method::Head;
  stream_.append(response_text(response, {head_only, incoming.keep_alive, now().unix_seconds}));
}

Task<void> Connection::speak_web_socket(http::Request request) {
  http::Headers headers;
  context_.handler.decorate(headers);
  socket_ = accept_web_socket(stream_, request, headers,
                              {options_.message_bytes_max, options_.compression});
  if (!socket_) co_return;
  heard_at_ = pinged_at_ = now().instant;
  try {
    co_await context_.handler.serve(socket_, std::move(request), thread_.index());
    socket_->close(CloseCode::Normal, "");
  } catch (const std::exception& error) {
    core::log::error("a WebSocket's handler failed: {}", error.what());
    socket_->close(CloseCode::InternalError, "internal error");
  }
  seat_.reset();
}

void Connection::check(core::Instant now) {
  if (deadline_ && now >= *deadline_) return give_up(NetError::TimedOut);
  if (stream_.finished_writing()) {
    if (!deadline_ || *deadline_ > now + kGoodbyeMax) deadline_ = now + kGoodbyeMax;
    return;
  }
  check_writing(now);
  if (socket_) check_hearing(now);
}

void Connection::check_writing(core::Instant now) {
  if (stream_.unsent() == 0 || stream_.sent_total() != moved_total_) {
    moved_total_ = stream_.sent_total();
    moved_at_ = now;
  } else if (now - moved_at_ >= options_.write_timeout) {
    give_up(NetError::TimedOut);
  }
}

// A peer is only silent while we listen.
void Connection::check_hearing(core::Instant now) {
  if (stream_.take_heard() || !stream_.waiting_for_peer()) {
    heard_at_ = pinged_at_ = now;
  } else if (now - heard_at_ >= options_.idle_timeout) {
    give_up(NetError::TimedOut);
  } else if (now - pinged_at_ >= options_.ping_interval) {
    pinged_at_ = now;
    socket_->ping();
  }
}

void Connection::leave() {
  if (socket_)
    socket_->close(CloseCode::GoingAway, "the server is stopping");
  else if (between_requests_)
    stream_.end_reading();
}

void Connection::give_up(NetError why) {
  if (socket_) socket_->lost(why);
  stream_.abort();
}

Task<void> run_connection(NetworkThread* thread, std::unique_ptr<Connection> connection) {
  co_await connection->run();
  connection.reset();
  thread->end_if_done();
}

}  // namespace

void start_connection(NetworkThread& thread, ConnectionContext& context, FileDescriptor socket,
                      const core::IpAddress& peer) {
  const auto protocol = peer.is_v4() ? asio::ip::tcp::v4() : asio::ip::tcp::v6();
  BatchedStream::Socket assigned(thread.executor());
  boost::system::error_code error;
  assigned.assign(protocol, socket.get(), error);
  if (error) return;
  socket.release();
  auto connection = std::make_unique<Connection>(thread, context, std::move(assigned), peer);
  thread.watch(*connection);
  thread.spawn("a connection", run_connection(&thread, std::move(connection)));
}

}  // namespace graspd::net
