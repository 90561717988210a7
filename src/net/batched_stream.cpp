#include "net/batched_stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <sys/socket.h>

namespace asio = boost::asio;

namespace graspd::net {
namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

}  // namespace

BatchedStream::BatchedStream(Socket socket, ThreadBuffers& buffers)
    : socket_(std::move(socket)), buffers_(buffers) {}

void BatchedStream::append(std::string_view bytes) {
  if (bytes.empty() || finishing_ || !open()) return;
  if (outbound_.empty()) outbound_ = buffers_.take_spare();
  outbound_.append(bytes);
  schedule_flush();
}

void BatchedStream::schedule_flush() {
  if (flush_scheduled_ || writer_waiting_) return;
  flush_scheduled_ = true;
  flush_when_due(kFlushTurns);
}

void BatchedStream::flush_when_due(int turns_left) {
  ++pending_;
  asio::post(get_executor(), [this, turns_left] {
    --pending_;
    if (!flush_scheduled_) return;
    if (!reader_waiting_ && turns_left > 0 && unsent() < kFlushBytes)
      flush_when_due(turns_left - 1);
    else
      flush();
  });
}

void BatchedStream::flush() {
  flush_scheduled_ = false;
  if (!open() || writer_waiting_) return;
  if (unsent() > 0) {
    const ssize_t size =
        ::send(socket_.native_handle(), outbound_.data() + sent_, unsent(), MSG_NOSIGNAL);
    buffers_.flushes.add(1);
    if (size < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS) return abort();
    if (size > 0) {
      sent_ += static_cast<std::size_t>(size);
      sent_total_ += static_cast<std::uint64_t>(size);
      buffers_.bytes_out.add(static_cast<std::uint64_t>(size));
    }
  }
  after_flush();
}

void BatchedStream::after_flush() {
  drop_sent_bytes();
  if (drain_signal_) drain_signal_->cancel();
  if (unsent() > 0) return flush_when_writable();
  if (!finishing_ || finished_) return;
  finished_ = true;
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void BatchedStream::drop_sent_bytes() {
  if (outbound_.empty()) return;
  if (unsent() == 0) {
    buffers_.give_back(std::exchange(outbound_, {}));
    sent_ = 0;
  } else if (sent_ > outbound_.size() / 2) {  // so that each byte is moved once at most
    outbound_.erase(0, sent_);
    sent_ = 0;
  }
}

void BatchedStream::flush_when_writable() {
  writer_waiting_ = true;
  ++pending_;
  // end_reading() cancels this too: then the flush finds the socket still full and waits again.
  socket_.async_wait(Socket::wait_write, [this](ErrorCode) {
    --pending_;
    writer_waiting_ = false;
    flush();
  });
}

Task<bool> BatchedStream::drained_to(std::size_t bytes) {
  if (unsent() > bytes) flush();
  while (open() && unsent() > bytes) {
    if (!drain_signal_)
      drain_signal_ = std::make_unique<asio::steady_timer>(get_executor(),
                                                           asio::steady_timer::time_point::max());
    ++pending_;
    co_await drain_signal_->async_wait(kNoThrow);
    --pending_;
  }
  co_return open();
}

void BatchedStream::finish_writing() {
  if (finishing_) return;
  finishing_ = true;
  if (!writer_waiting_) flush();
}

void BatchedStream::consume(std::size_t bytes) {
  held_read_ += bytes;
  if (held_read_ < held_.size()) return;
  std::string().swap(held_);  // assignment would keep the memory
  held_read_ = 0;
}

void BatchedStream::hold(std::string_view bytes) {
  if (bytes.empty()) return;
  held_.erase(0, held_read_);
  held_read_ = 0;
  held_.append(bytes);
}

std::string_view BatchedStream::receive(ErrorCode& error) {
  if (reading_ended_ || !open()) {
    error = asio::error::operation_aborted;
    return {};
  }
  if (!more_expected_) {
    error = asio::error::would_block;
    return {};
  }
  const ssize_t size =
      ::recv(socket_.native_handle(), buffers_.received.data(), buffers_.received.size(), 0);
  buffers_.receives.add(1);
  more_expected_ = size == static_cast<ssize_t>(buffers_.received.size());
  if (size > 0) {
    heard_ = true;
    buffers_.bytes_in.add(static_cast<std::uint64_t>(size));
    return {buffers_.received.data(), static_cast<std::size_t>(size)};
  }
  peer_finished_ = size == 0;
  if (size == 0)
    error = asio::error::eof;
  else if (errno == EAGAIN || errno == EINTR)
    error = asio::error::would_block;
  else
    error = ErrorCode(errno, boost::system::system_category());
  return {};
}

void BatchedStream::start_waiting() {
  ++pending_;
  reader_waiting_ = true;
}

void BatchedStream::stop_waiting() {
  --pending_;
  reader_waiting_ = false;
  more_expected_ = true;
}

Task<bool> BatchedStream::fill() {
  while (true) {
    ErrorCode error;
    const std::string_view bytes = receive(error);
    if (!error) {
      hold(bytes);
      co_return true;
    }
    if (error != asio::error::would_block) co_return false;
    start_waiting();
    co_await socket_.async_wait(Socket::wait_read, kNoThrow);
    stop_waiting();
  }
}

void BatchedStream::end_reading() {
  reading_ended_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
}

Task<void> BatchedStream::goodbye() {
  end_reading();
  finish_writing();
  co_await drained_to(0);
  while (reader_waiting_) co_await asio::post(get_executor(), asio::use_awaitable);
  reading_ended_ = false;
  more_expected_ = true;
  // Unread input would turn our close into a reset, and the peer might lose our last words.
  while (!peer_finished_) {
    consume(held().size());
    const bool more = co_await fill();
    if (!more) break;
  }
}

void BatchedStream::abort() {
  ErrorCode ignored;
  socket_.close(ignored);
  std::string().swap(outbound_);
  sent_ = 0;
  if (drain_signal_) drain_signal_->cancel();
}

Task<void> BatchedStream::settle() {
  abort();
  while (pending_ > 0) co_await asio::post(get_executor(), asio::use_awaitable);
}

}  // namespace graspd::net
