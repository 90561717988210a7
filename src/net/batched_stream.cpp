#include "net/batched_stream.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>

#include "net/no_throw.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

// Held at most while nobody reads; a client that pipelines more is watched no further.
constexpr std::size_t kWatchedBytesMax = 64 * 1024;

bool is_passing(int error) { return error == EAGAIN || error == EINTR || error == ENOBUFS; }

}  // namespace

// The guards below also hold when the coroutine that waits is cancelled, and unwinds.
class BatchedStream::Counted {
 public:
  explicit Counted(BatchedStream& stream) : stream_(stream) { ++stream_.pending_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --stream_.pending_; }

 private:
  BatchedStream& stream_;
};

class BatchedStream::ReadWait {
 public:
  explicit ReadWait(BatchedStream& stream) : stream_(stream) { stream_.start_waiting(); }
  ReadWait(const ReadWait&) = delete;
  ReadWait& operator=(const ReadWait&) = delete;
  ~ReadWait() { stream_.stop_waiting(); }

 private:
  BatchedStream& stream_;
};

class BatchedStream::Sending {
 public:
  explicit Sending(BatchedStream& stream) : stream_(stream), counted_(stream) {}
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending() {
    stream_.sender_waiting_ = false;
    if (!done_) stream_.abort();
  }
  void done() { done_ = true; }

 private:
  BatchedStream& stream_;
  Counted counted_;
  bool done_ = false;
};

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
    if (size < 0 && !is_passing(errno)) return abort();
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

asio::steady_timer& BatchedStream::signal(Signal* signal) {
  if (!*signal)
    *signal =
        std::make_unique<asio::steady_timer>(get_executor(), asio::steady_timer::time_point::max());
  return **signal;
}

Task<void> BatchedStream::wait_for(Signal* waited) {
  const Counted counted(*this);
  co_await signal(waited).async_wait(kNoThrow);
}

Task<bool> BatchedStream::drained_to(std::size_t bytes) {
  if (unsent() > bytes) flush();
  while (open() && unsent() > bytes) co_await wait_for(&drain_signal_);
  co_return open();
}

Task<bool> BatchedStream::send(Parts parts) {
  Sending sending(*this);
  while (open() && !finishing_) {
    if (send_some(&parts)) {
      sending.done();
      co_return true;
    }
    if (!open()) break;
    sender_waiting_ = true;
    co_await socket_.async_wait(Socket::wait_write, kNoThrow);
    sender_waiting_ = false;
  }
  co_return false;
}

// True: everything is sent.
bool BatchedStream::send_some(Parts* parts) {
  std::array<iovec, 4> vectors{{{outbound_.data() + sent_, unsent()}}};
  std::size_t wanted = unsent();
  for (std::size_t i = 0; i < parts->size(); ++i) {
    vectors[i + 1] = {const_cast<char*>((*parts)[i].data()), (*parts)[i].size()};
    wanted += (*parts)[i].size();
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = vectors.size();
  const ssize_t size = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
  buffers_.flushes.add(1);
  if (size < 0 && !is_passing(errno)) abort();
  if (size < 0) return false;
  count_sent(static_cast<std::size_t>(size), parts);
  return static_cast<std::size_t>(size) == wanted;
}

void BatchedStream::count_sent(std::size_t size, Parts* parts) {
  sent_total_ += size;
  buffers_.bytes_out.add(size);
  const std::size_t appended = std::min(size, unsent());
  sent_ += appended;
  size -= appended;
  for (std::string_view& part : *parts) {
    const std::size_t taken = std::min(size, part.size());
    part.remove_prefix(taken);
    size -= taken;
  }
  drop_sent_bytes();
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
    const ReadWait waiting(*this);
    co_await socket_.async_wait(Socket::wait_read, kNoThrow);
  }
}

Task<void> BatchedStream::hung_up() {
  watching_ = true;
  if (!watch_pending_) watch();
  while (open() && watching_ && !peer_finished_) co_await wait_for(&hang_up_signal_);
}

void BatchedStream::watch() {
  if (held().size() >= kWatchedBytesMax) return;
  watch_pending_ = true;
  ++pending_;
  socket_.async_wait(Socket::wait_read,
                     asio::bind_cancellation_slot(end_of_watch_.slot(), [this](ErrorCode) {
                       --pending_;
                       watch_pending_ = false;
                       more_expected_ = true;
                       if (watching_ && open()) look_for_end();
                     }));
}

void BatchedStream::look_for_end() {
  ErrorCode error;
  hold(receive(error));
  if (error && error != asio::error::would_block) {
    if (!peer_finished_) abort();
    if (hang_up_signal_) hang_up_signal_->cancel();
  } else {
    watch();
  }
}

void BatchedStream::stop_watching() {
  watching_ = false;
  if (watch_pending_) end_of_watch_.emit(asio::cancellation_type::terminal);
  if (hang_up_signal_) hang_up_signal_->cancel();
}

void BatchedStream::end_reading() {
  reading_ended_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
  if (drain_signal_) drain_signal_->cancel();
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
  if (hang_up_signal_) hang_up_signal_->cancel();
}

void BatchedStream::reset() {
  ErrorCode ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  abort();
}

Task<void> BatchedStream::settle() {
  abort();
  while (pending_ > 0) co_await asio::post(get_executor(), asio::use_awaitable);
}

}  // namespace graspd::net
