#include "net/dialer_stream.h"

#include <array>

#include "net/no_throw.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

constexpr std::size_t kReceiveBytes = 32 * 1024;

asio::ip::tcp::endpoint endpoint(const core::IpAddress& address, std::uint16_t port) {
  const auto& bytes = address.bytes();
  if (!address.is_v4()) return {asio::ip::address_v6(bytes), port};
  return {asio::ip::address_v4({bytes[12], bytes[13], bytes[14], bytes[15]}), port};
}

}  // namespace

void DialerStream::expire_at(TimePoint deadline) {
  deadline_.expires_at(deadline);
  deadline_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->expired_ = true;
    self->abort();
  });
}

Task<DialerStream::ErrorCode> DialerStream::connect(core::IpAddress address, std::uint16_t port) {
  const auto [error] = co_await socket_.async_connect(endpoint(address, port), kNoThrow);
  if (error) co_return error;
  ErrorCode failed;
  socket_.non_blocking(true, failed);
  if (!failed) socket_.set_option(asio::ip::tcp::no_delay(true), failed);
  co_return failed;
}

Task<std::optional<std::string>> DialerStream::secure(std::unique_ptr<TlsSession> session) {
  tls_ = std::move(session);
  tls_->start();
  while (true) {
    wire_.append(tls_->take_output());
    flush();
    if (tls_->state() == TlsSession::State::Open) co_return std::nullopt;
    if (tls_->state() != TlsSession::State::Handshaking) co_return tls_->failure();
    ErrorCode error;
    fill(error);
    if (error == asio::error::would_block) {
      co_await socket_.async_wait(Socket::wait_read, kNoThrow);
    } else if (error && tls_->state() == TlsSession::State::Handshaking) {
      co_return "the peer hung up";
    }
  }
}

void DialerStream::append(std::string_view bytes) {
  if (bytes.empty() || finishing_ || !open()) return;
  plain_.append(bytes);
  schedule_flush();
}

void DialerStream::schedule_flush() {
  if (flush_scheduled_ || writer_waiting_) return;
  flush_scheduled_ = true;
  asio::post(get_executor(), [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->flush();
  });
}

void DialerStream::flush() {
  if (!open() || writer_waiting_) return;
  encrypt();
  send_once();
  drained_.wake();
  if (!open()) return;
  if (unsent() > 0)
    flush_when_writable();
  else if (finishing_ && !finished_)
    finish();
}

void DialerStream::encrypt() {
  if (plain_.empty()) return;
  if (tls_) {
    tls_->write(plain_);
    std::string().swap(plain_);
    wire_.append(tls_->take_output());
  } else if (wire_.empty()) {
    wire_.begin_with(std::exchange(plain_, {}));
  } else {
    wire_.append(plain_);
    std::string().swap(plain_);
  }
}

void DialerStream::send_once() {
  if (wire_.empty()) return;
  const auto size = send_now(socket_.native_handle(), wire_.rest());
  if (!size) return abort();
  sent_total_ += *size;
  wire_.sent(*size);
}

void DialerStream::flush_when_writable() {
  writer_waiting_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const ErrorCode&) {
    self->writer_waiting_ = false;
    self->flush();
  });
}

Task<bool> DialerStream::drained_to(std::size_t bytes) {
  const auto self = shared_from_this();
  if (unsent() > bytes) flush();
  while (open() && unsent() > bytes) co_await drained_.wait(get_executor());
  co_return open();
}

void DialerStream::fill(ErrorCode& error) {
  if (reading_ended_ || !open()) {
    error = asio::error::operation_aborted;
    return;
  }
  std::array<char, kReceiveBytes> received;
  const std::size_t size = receive_now(socket_.native_handle(), received, error);
  if (error) return;
  heard_ = true;
  received_total_ += size;
  take_in({received.data(), size}, error);
}

void DialerStream::take_in(std::string_view received, ErrorCode& error) {
  if (!tls_) {
    held_.append(received);
    return;
  }
  const bool handshaking = tls_->state() == TlsSession::State::Handshaking;
  tls_->put(received);
  held_.append(tls_->take_plain());
  wire_.append(tls_->take_output());
  if (unsent() > 0) schedule_flush();
  if (handshaking || !held_.empty()) return;
  const bool more_will_come = tls_->state() == TlsSession::State::Open;
  error = more_will_come ? asio::error::would_block : make_error_code(asio::error::eof);
}

Task<std::string> DialerStream::receive() {
  const auto self = shared_from_this();
  ErrorCode error;
  while (held_.empty()) {
    fill(error);
    if (error && error != asio::error::would_block) co_return std::string();
    if (!error) continue;
    error = {};
    reader_waiting_ = true;
    co_await socket_.async_wait(Socket::wait_read, kNoThrow);
    reader_waiting_ = false;
  }
  std::string bytes(held_.view());
  held_.consume(bytes.size());
  co_return bytes;
}

void DialerStream::goodbye() {
  if (finishing_ || !open()) return;
  finishing_ = true;
  reading_ended_ = true;
  expire_at(std::chrono::steady_clock::now() + kLingerMax);
  ErrorCode ignored;
  if (reader_waiting_) socket_.cancel(ignored);  // wakes a writer too, which then goes on
  if (!writer_waiting_) flush();
}

void DialerStream::finish() {
  finished_ = true;
  if (tls_) {
    tls_->close();
    wire_.append(tls_->take_output());
    send_once();
  }
  ErrorCode ignored;
  if (open()) socket_.shutdown(Socket::shutdown_send, ignored);
  hear_out();
}

// R3: reads and forgets until the peer has finished too.
void DialerStream::hear_out() {
  if (!open()) return;
  std::array<char, kReceiveBytes> ignored;
  ErrorCode error;
  while (!error) receive_now(socket_.native_handle(), ignored, error);
  if (error != asio::error::would_block) return abort();
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this()](const ErrorCode&) { self->hear_out(); });
}

void DialerStream::cut() {
  if (open() && !finishing_) {
    encrypt();
    send_once();
  }
  abort();
}

void DialerStream::abort() {
  ErrorCode ignored;
  socket_.close(ignored);
  deadline_.cancel();
  std::string().swap(plain_);
  wire_.clear();
  drained_.wake();
}

}  // namespace graspd::net
