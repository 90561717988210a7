#include "net/server_exchange.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <utility>

#include "core/check.h"
#include "net/clock.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

// A stream that is always ready lets others have their turn after this much.
constexpr std::size_t kTurnBytes = 256 * 1024;

}  // namespace

// Passes with the wait it is for, also when that is cancelled.
class ServerExchange::Deadline {
 public:
  Deadline(ServerExchange& exchange, core::Duration time) : exchange_(exchange) {
    exchange_.deadline_ = now().instant + time;
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { exchange_.deadline_.reset(); }

 private:
  ServerExchange& exchange_;
};

ServerExchange::ServerExchange(BatchedStream& stream, NetworkThread& thread, const Handler& handler,
                               RequestHead head, const StreamOptions& options,
                               std::optional<Compression> compression)
    : stream_(&stream),
      thread_(thread),
      handler_(handler),
      head_(std::move(head)),
      options_(options),
      body_(head_.framing, {options.body_bytes_max, options.inflate_ratio_max}, compression),
      read_credit_(options.rate_min),
      write_credit_(options.rate_min),
      body_over_(head_.framing.ended()),
      changed_(std::in_place, thread.executor(), asio::steady_timer::time_point::max()) {}

Task<core::Result<std::string_view, NetError>> ServerExchange::read() {
  while (true) {
    if (!stream_ && !failed_) fail(NetError::Closed);
    if (failed_) co_return core::Failure{*failed_};
    const auto bytes = next_bytes();
    if (!bytes) {
      fail(bytes.error());
    } else if (!bytes->empty() || body_over_) {
      co_await take_turns(bytes->size());
      co_return *bytes;
    } else {
      co_await fetch_more();
    }
  }
}

// Empty: the body is over, or more has to be fetched.
core::Result<std::string_view, NetError> ServerExchange::next_bytes() {
  release_view();
  if (body_over_) return std::string_view();
  const auto part = body_.next(stream_->held());
  if (!part) return core::Failure{part.error()};
  viewed_ = part->taken;
  if (!part->bytes.empty()) return part->bytes;
  release_view();
  if (body_.ended()) {
    body_over_ = true;
    wake();
  }
  return std::string_view();
}

void ServerExchange::release_view() {
  if (stream_ && viewed_ > 0) stream_->consume(std::exchange(viewed_, 0));
}

Task<void> ServerExchange::fetch_more() {
  const bool waits_for_us = std::exchange(head_.expects_continue, false);
  if (waits_for_us && answer_ == Answer::None && stream_->held().empty())
    stream_->append(kContinueText);
  const core::Instant begin = now().instant;
  const std::size_t before = stream_->held().size();
  const Deadline deadline(*this, std::min(options_.idle_timeout, read_credit_.left()));
  const bool more = co_await stream_->fill();
  if (!more) fail(NetError::Closed);
  if (!more || !stream_) co_return;
  read_credit_.waited(now().instant - begin);
  read_credit_.moved(stream_->held().size() - before);
}

void ServerExchange::fail(NetError why) {
  if (!failed_) failed_ = why;
  wake();
}

void ServerExchange::lost(NetError why) { fail(why); }

void ServerExchange::wake() {
  if (changed_) changed_->cancel();
}

Task<void> ServerExchange::take_turns(std::size_t bytes) {
  moved_ += bytes;
  if (moved_ < kTurnBytes) co_return;
  moved_ = 0;
  co_await asio::post(thread_.executor(), asio::use_awaitable);
}

// Is it cheaper to read the rest of the body than to open another connection?
bool ServerExchange::worth_draining() const {
  if (failed_) return false;  // who knows where the next request begins
  if (body_over_ || body_.framing().ended()) return true;
  if (head_.expects_continue) return false;
  return body_.framing().left().value_or(0) <= kDrainBytesMax;
}

void ServerExchange::append_head(const http::Response& response, BodyEnd end) {
  http::Response whole = response;
  handler_.decorate(whole.headers);
  const bool head_only = head_.request.method == http::Method::Head;
  sends_body_ = !head_only && has_body(response.status);
  end_ = end;
  keep_alive_ = head_.keep_alive && end != BodyEnd::Close && !thread_.leaving() && worth_draining();
  stream_->append(response_head(whole, {head_only, keep_alive_, now().unix_seconds}, end));
}

Task<bool> ServerExchange::begin(http::Response head) {
  CHECK(answer_ == Answer::None);
  answer_ = Answer::Streaming;
  if (!open()) co_return false;
  append_head(head, head_.is_http_1_1 ? BodyEnd::LastChunk : BodyEnd::Close);
  co_return true;
}

Task<bool> ServerExchange::write(std::string_view bytes) {
  CHECK(answer_ == Answer::Streaming);
  if (!open() || !sends_body_ || bytes.empty()) co_return open();
  if (end_ == BodyEnd::Close) {
    const bool sent = co_await send({bytes, "", ""});
    co_return sent;
  }
  const std::string line = fmt::format("{:x}\r\n", bytes.size());
  const bool sent = co_await send({line, bytes, "\r\n"});
  co_return sent;
}

Task<bool> ServerExchange::send(BatchedStream::Parts parts) {
  const std::size_t size = parts[0].size() + parts[1].size();
  const bool sent = co_await stream_->send(parts);
  if (!sent) fail(NetError::Closed);
  if (sent) co_await take_turns(size);
  co_return sent;
}

Task<bool> ServerExchange::finish() {
  CHECK(answer_ == Answer::Streaming);
  answer_ = Answer::Given;
  if (open() && sends_body_ && end_ == BodyEnd::LastChunk) stream_->append("0\r\n\r\n");
  end_watch();
  co_return open();
}

Task<bool> ServerExchange::respond(http::Response whole) {
  CHECK(answer_ == Answer::None);
  answer_ = Answer::Given;
  if (!open()) co_return false;
  append_head(whole, BodyEnd::Length);
  bool sent = true;
  if (sends_body_) sent = co_await send({whole.body, "", ""});
  end_watch();
  co_return sent;
}

Task<void> ServerExchange::gone() {
  while (!over_ && open() && !failed_ && !body_over_)
    co_await changed_->async_wait(asio::as_tuple(asio::use_awaitable));
  if (!over_ && open() && body_over_) co_await stream_->hung_up();
}

void ServerExchange::end_watch() {
  over_ = true;
  wake();
  if (stream_) stream_->stop_watching();
}

Task<bool> ServerExchange::conclude() {
  if (answer_ == Answer::None)
    co_await respond(http::text_response(500, "The server failed to answer.\n"));
  end_watch();
  if (answer_ == Answer::Streaming) stream_->reset();
  if (!open() || !keep_alive_ || failed_) co_return false;
  const bool drained = co_await drain();
  co_return drained;
}

Task<bool> ServerExchange::drain() {
  release_view();
  draining_ = true;
  const Deadline deadline(*this, kDrainMax);
  std::size_t drained = 0;
  while (!body_.framing().ended() && drained <= kDrainBytesMax) {
    const auto taken = body_.discard(stream_->held());
    if (!taken) break;
    stream_->consume(*taken);
    drained += *taken;
    if (*taken > 0) continue;
    const bool more = co_await stream_->fill();
    if (!more) break;
  }
  co_return body_.framing().ended();
}

// R2
void ServerExchange::check_reading(core::Instant now) {
  if (!deadline_ || now < *deadline_) return;
  if (!draining_) fail(NetError::TimedOut);
  stream_->end_reading();
}

bool ServerExchange::is_read_too_slowly(core::Duration since, std::uint64_t moved) {
  write_credit_.waited(since);
  write_credit_.moved(moved);
  return write_credit_.left() <= core::Duration::zero();
}

void ServerExchange::detach() {
  fail(NetError::Closed);
  over_ = true;
  stream_ = nullptr;
  changed_.reset();  // the event loop may die before this does
}

}  // namespace graspd::net
