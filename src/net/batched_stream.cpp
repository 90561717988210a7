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
  if (outbound_.empty()) outbound_.begin_with(buffers_.take_spare());
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
    const auto size = send_now(socket_.native_handle(), outbound_.rest());
    buffers_.flushes.add(1);
    if (!size) return abort();
    Parts nothing;
    count_sent(*size, &nothing);
  }
  after_flush();
}

void BatchedStream::after_flush() {
  drained_.wake();
  if (unsent() > 0) return flush_when_writable();
  if (!finishing_ || finished_) return;
  finished_ = true;
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
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

Task<void> BatchedStream::wait_for(WakeUp* change) {
  const Counted counted(*this);
  co_await change->wait(get_executor());
}

Task<bool> BatchedStream::drained_to(std::size_t bytes) {
  if (unsent() > bytes) flush();
  while (open() && unsent() > bytes) co_await wait_for(&drained_);
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
  std::array<iovec, 4> vectors{{{const_cast<char*>(outbound_.rest().data()), unsent()}}};
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
  size -= appended;
  for (std::string_view& part : *parts) {
    const std::size_t taken = std::min(size, part.size());
    part.remove_prefix(taken);
    size -= taken;
  }
  if (appended == 0) return;
  std::string spare = outbound_.sent(appended);
  if (outbound_.empty()) buffers_.give_back(std::move(spare));
}

void BatchedStream::finish_writing() {
  if (finishing_) return;
  finishing_ = true;
  if (!writer_waiting_) flush();
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
  const std::size_t size = receive_now(socket_.native_handle(), buffers_.received, error);
  buffers_.receives.add(1);
  buffers_.bytes_in.add(size);
  more_expected_ = size == buffers_.received.size();
  heard_ = heard_ || size > 0;
  peer_finished_ = error == asio::error::eof;
  return {buffers_.received.data(), size};
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
      held_.append(bytes);
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
  while (open() && watching_ && !peer_finished_) co_await wait_for(&hung_up_);
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
  held_.append(receive(error));
  if (error && error != asio::error::would_block) {
    if (!peer_finished_) abort();
    hung_up_.wake();
  } else {
    watch();
  }
}

void BatchedStream::stop_watching() {
  watching_ = false;
  if (watch_pending_) end_of_watch_.emit(asio::cancellation_type::terminal);
  hung_up_.wake();
}

void BatchedStream::end_reading() {
  reading_ended_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
  drained_.wake();
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
  outbound_.clear();
  drained_.wake();
  hung_up_.wake();
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
