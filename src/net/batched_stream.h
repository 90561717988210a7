// A TCP connection that makes few system calls: the layer below HTTP and WebSocket.
//
//   R1  Writing only appends, and never fails or blocks. Everything appended in one turn of the
//       event loop is sent at once, and so is everything appended while the socket took no more.
//   R2  While received bytes wait to be read, a flush waits for the answers to them, but at most
//       kFlushTurns turns and kFlushBytes.
//   R3  One receive takes all that is there (64 KiB at most). Bytes that nobody has requested yet
//       are held and freed once read: an idle connection holds none.
//   R4  No completion is called from inside the function that starts the operation, so a peer that
//       never pauses cannot starve other connections.
//   R5  end_reading() fails reads but not writes; abort() ends both at once.
//   R6  Used from one thread. settle() must return before it is destroyed.
//   R7  send() copies nothing: bodies go from their place to the socket. One at a time, and nothing
//       is appended meanwhile. If it is cancelled halfway, the connection ends.
//   R8  While more than kUnreadBytesMax are unsent, async_read_some() waits, so that pongs and
//       other automatic answers of the layer above cannot pile up either.
#pragma once
#include <array>
#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/role.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/stream_parts.h"
#include "net/task.h"
#include "net/thread_buffers.h"

namespace graspd::net {

class BatchedStream {
 public:
  using ErrorCode = boost::system::error_code;
  using executor_type = boost::asio::io_context::executor_type;
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, executor_type>;

  static constexpr int kFlushTurns = 16;
  static constexpr std::size_t kFlushBytes = 64 * 1024;
  static constexpr std::size_t kUnreadBytesMax = 4 * 1024 * 1024;

  BatchedStream(Socket socket, ThreadBuffers& buffers);

  // Outbound.
  void append(std::string_view bytes);
  std::size_t unsent() const { return outbound_.size(); }
  std::uint64_t sent_total() const { return sent_total_; }
  Task<bool> drained_to(std::size_t bytes);  // false: the connection is gone
  // Sends what was appended, and then these; false: the connection is gone.
  using Parts = std::array<std::string_view, 3>;
  Task<bool> send(Parts parts);
  bool writing() const { return unsent() > 0 || sender_waiting_; }
  void finish_writing();  // FIN when everything is sent
  bool finished_writing() const { return finished_; }

  // Inbound.
  std::string_view held() const { return held_.view(); }
  void consume(std::size_t bytes) { held_.consume(bytes); }
  Task<bool> fill();  // waits for more to be held(); false: no more will come
  void end_reading();
  // Returns when the peer has finished, when the connection is gone, or at stop_watching(). What
  // arrives is held meanwhile, but when too much of it comes nobody watches any longer. Not while
  // somebody reads.
  Task<void> hung_up();
  void stop_watching();
  bool waiting_for_peer() const { return reader_waiting_; }
  bool take_heard() { return std::exchange(heard_, false); }  // anything since the last call?

  // The end.
  bool open() const { return socket_.is_open(); }
  Task<void> goodbye();  // sends the rest, FIN, and waits for the peer's FIN or abort()
  void abort();
  void reset();  // an abort() that the peer cannot take for an ordinary end
  Task<void> settle();

  // What Beast expects of a stream.
  executor_type get_executor() noexcept { return socket_.get_executor(); }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, ErrorCode& error) {
    error = {};
    return append_all(*this, buffers);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return append_all(*this, buffers);
  }

  // Does not block: would_block when nothing is there.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& error) {
    error = {};
    if (held().empty()) return read_new(buffers, error);
    const std::size_t copied = boost::asio::buffer_copy(buffers, boost::asio::buffer(held()));
    consume(copied);
    return copied;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return read_or_throw(*this, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](auto handler, const Buffers& from) {
          complete_later(std::move(handler), {}, append_all(*this, from));
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](auto handler, const Buffers& into) {
          if (has_unread_answers()) return read_when_drained(into, std::move(handler));
          ErrorCode error;
          const std::size_t size = read_some(into, error);
          if (error == boost::asio::error::would_block)
            read_when_ready(into, std::move(handler));
          else
            complete_later(std::move(handler), error, size);
        },
        token, buffers);
  }

 private:
  template <class Handler>
  void complete_later(Handler handler, ErrorCode error, std::size_t size) {
    boost::asio::post(get_executor(), boost::asio::append(std::move(handler), error, size));
  }

  template <class Buffers>
  std::size_t read_new(const Buffers& buffers, ErrorCode& error) {
    const std::string_view bytes = receive(error);
    const std::size_t copied = boost::asio::buffer_copy(buffers, boost::asio::buffer(bytes));
    held_.append(bytes.substr(copied));
    return copied;
  }

  template <class Buffers, class Handler>
  void read_when_ready(const Buffers& buffers, Handler handler) {
    start_waiting();
    socket_.async_wait(Socket::wait_read, [this, buffers,
                                           waiting = std::move(handler)](ErrorCode) mutable {
      stop_waiting();
      ErrorCode error;
      const std::size_t size = read_some(buffers, error);
      if (error == boost::asio::error::would_block)
        read_when_ready(buffers, std::move(waiting));
      else
        boost::asio::dispatch(get_executor(), boost::asio::append(std::move(waiting), error, size));
    });
  }

  // R8
  bool has_unread_answers() const {
    return open() && !reading_ended_ && unsent() > kUnreadBytesMax;
  }
  template <class Buffers, class Handler>
  void read_when_drained(const Buffers& buffers, Handler handler) {
    ++pending_;
    drained_.timer(get_executor())
        .async_wait([this, buffers, waiting = std::move(handler)](ErrorCode) mutable {
          --pending_;
          async_read_some(buffers, std::move(waiting));
        });
  }

  std::string_view receive(ErrorCode& error);
  void start_waiting();
  void stop_waiting();
  void watch();
  void look_for_end();

  class Counted;
  class ReadWait;
  class Sending;

  Task<void> wait_for(WakeUp* change);
  bool send_some(Parts* parts);
  void count_sent(std::size_t size, Parts* parts);
  void schedule_flush();
  void flush_when_due(int turns_left);
  void flush();
  void flush_when_writable();
  void after_flush();

  Socket socket_;
  ThreadBuffers& buffers_;

  SendQueue outbound_;
  std::uint64_t sent_total_ = 0;
  WakeUp drained_, hung_up_;
  boost::asio::cancellation_signal end_of_watch_;

  HeldBytes held_;

  std::size_t pending_ = 0;  // completions that will still touch this object
  bool flush_scheduled_ = false;
  bool writer_waiting_ = false;
  bool sender_waiting_ = false;
  bool watching_ = false;
  bool watch_pending_ = false;
  bool finishing_ = false;  // FIN once outbound_ is empty
  bool finished_ = false;   // FIN sent
  bool reader_waiting_ = false;
  bool reading_ended_ = false;
  bool peer_finished_ = false;
  bool more_expected_ = true;  // the last receive filled its buffer, or the socket became ready
  bool heard_ = false;
};

// Beast ends a connection by these. After the closing handshake the stream's owner does the rest,
// so there is nothing to wait for; Beast's own timeouts, the only users of the last, are off.
inline void teardown(boost::beast::role_type, BatchedStream&, BatchedStream::ErrorCode& error) {
  error = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type, BatchedStream& stream, Handler&& handler) {
  boost::asio::post(stream.get_executor(), boost::asio::append(std::forward<Handler>(handler),
                                                               BatchedStream::ErrorCode{}));
}
inline void beast_close_socket(BatchedStream& stream) { stream.abort(); }

}  // namespace graspd::net
