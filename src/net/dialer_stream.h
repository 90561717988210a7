// The client's end of a TCP connection, with or without TLS: the layer below WebSocket and HTTP.
//
//   R1  Writing only appends. Everything appended in one turn of the event loop is sent at once,
//       and in TLS in as few records as possible.
//   R2  Handlers hold the stream, not the reverse: it lives until its last handler is done, and
//       dies with its event loop. Dropped before, it closes at once.
//   R3  goodbye() sends the rest and FIN, then reads until the peer ends, for at most kLingerMax:
//       unread input would turn the close into a reset, and our last message might be lost.
//   R4  Bytes that nobody has requested yet are held, and freed once read.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ip_address.h"
#include "core/time.h"
#include "net/stream_parts.h"
#include "net/task.h"
#include "net/tls_session.h"

namespace graspd::net {

class DialerStream : public std::enable_shared_from_this<DialerStream> {
 public:
  using ErrorCode = boost::system::error_code;
  using executor_type = boost::asio::any_io_executor;
  using Socket = boost::asio::ip::tcp::socket;
  using TimePoint = boost::asio::steady_timer::time_point;

  static constexpr core::Duration kLingerMax{2'000};

  explicit DialerStream(const executor_type& executor) : socket_(executor), deadline_(executor) {}

  // The beginning. At the deadline it is abort()ed.
  void expire_at(TimePoint deadline);
  void never_expire() { deadline_.cancel(); }
  bool expired() const { return expired_; }
  Task<ErrorCode> connect(core::IpAddress address, std::uint16_t port);
  // Speaks TLS from here on. What went wrong, or nullopt.
  Task<std::optional<std::string>> secure(std::unique_ptr<TlsSession> session);

  // Outbound.
  void append(std::string_view bytes);
  std::size_t unsent() const { return plain_.size() + wire_.size(); }
  std::uint64_t sent_total() const { return sent_total_; }
  Task<bool> drained_to(std::size_t bytes);  // false: the connection is gone

  // Inbound.
  Task<std::string> receive();  // empty: no more will come
  bool waiting_for_peer() const { return reader_waiting_; }
  std::uint64_t received_total() const { return received_total_; }
  bool take_heard() { return std::exchange(heard_, false); }  // anything since the last call?

  // The end.
  bool open() const { return socket_.is_open(); }
  void goodbye();
  void cut();    // one attempt to send the rest, then abort()
  void abort();  // at once

  executor_type get_executor() { return socket_.get_executor(); }

  // Does not block: would_block when nothing is there.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& error) {
    error = {};
    if (held_.empty()) fill(error);
    const std::size_t copied = boost::asio::buffer_copy(buffers, boost::asio::buffer(held_.view()));
    held_.consume(copied);
    return copied;
  }

  template <class Buffers, class Handler>
  void read_when_ready(const Buffers& buffers, Handler handler) {
    reader_waiting_ = true;
    socket_.async_wait(Socket::wait_read, [self = shared_from_this(), buffers,
                                           waiting = std::move(handler)](const ErrorCode&) mutable {
      self->reader_waiting_ = false;
      ErrorCode error;
      const std::size_t size = self->read_some(buffers, error);
      if (error == boost::asio::error::would_block)
        self->read_when_ready(buffers, std::move(waiting));
      else
        boost::asio::dispatch(self->get_executor(),
                              boost::asio::append(std::move(waiting), error, size));
    });
  }

 private:
  void fill(ErrorCode& error);
  void take_in(std::string_view received, ErrorCode& error);

  void schedule_flush();
  void flush();
  void encrypt();
  void send_once();
  void flush_when_writable();
  void finish();
  void hear_out();

  Socket socket_;
  boost::asio::steady_timer deadline_;
  std::unique_ptr<TlsSession> tls_;
  std::string plain_;  // appended, not yet encrypted
  SendQueue wire_;     // as it goes out
  std::uint64_t sent_total_ = 0, received_total_ = 0;
  WakeUp drained_;
  HeldBytes held_;
  bool expired_ = false;
  bool flush_scheduled_ = false;
  bool writer_waiting_ = false;
  bool reader_waiting_ = false;
  bool finishing_ = false;  // FIN once everything is sent
  bool finished_ = false;   // FIN sent
  bool reading_ended_ = false;
  bool heard_ = false;
};

// What Beast takes for the stream: a reference that keeps it alive (R2).
class DialerStreamHandle {
 public:
  using executor_type = DialerStream::executor_type;
  using ErrorCode = DialerStream::ErrorCode;

  explicit DialerStreamHandle(std::shared_ptr<DialerStream> stream) : stream_(std::move(stream)) {}
  executor_type get_executor() noexcept { return stream_->get_executor(); }
  DialerStream& stream() { return *stream_; }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, ErrorCode& error) {
    error = {};
    return append_all(*stream_, buffers);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return append_all(*stream_, buffers);
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& error) {
    return stream_->read_some(buffers, error);
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return read_or_throw(*stream_, buffers);
  }

  // Nothing is completed from inside the function that starts it, so a peer that never pauses
  // cannot keep others from their turn.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [stream = stream_](auto handler, const Buffers& from) {
          const std::size_t size = append_all(*stream, from);
          boost::asio::post(stream->get_executor(),
                            boost::asio::append(std::move(handler), ErrorCode{}, size));
        },
        token, buffers);
  }
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [stream = stream_](auto handler, const Buffers& into) {
          ErrorCode error;
          const std::size_t size = stream->read_some(into, error);
          if (error == boost::asio::error::would_block)
            stream->read_when_ready(into, std::move(handler));
          else
            boost::asio::post(stream->get_executor(),
                              boost::asio::append(std::move(handler), error, size));
        },
        token, buffers);
  }

 private:
  std::shared_ptr<DialerStream> stream_;
};

}  // namespace graspd::net
