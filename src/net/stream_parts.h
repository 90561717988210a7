// What the two streams share: the server's (BatchedStream) and the client's (DialerStream).
#pragma once
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/no_throw.h"
#include "net/task.h"

namespace graspd::net {

// Bytes on their way out.
class SendQueue {
 public:
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size() - sent_; }
  std::string_view rest() const { return std::string_view(bytes_).substr(sent_); }
  void append(std::string_view bytes) { bytes_.append(bytes); }
  void begin_with(std::string bytes) { bytes_ = std::move(bytes); }  // when empty()
  // So many of rest() are gone. Returns the memory when nothing is left.
  std::string sent(std::size_t size);
  void clear();

 private:
  std::string bytes_;
  std::size_t sent_ = 0;
};

// Bytes that arrived and that nobody has asked for yet; freed once they are read.
class HeldBytes {
 public:
  std::string_view view() const { return std::string_view(bytes_).substr(read_); }
  bool empty() const { return bytes_.empty(); }
  void append(std::string_view bytes);
  void consume(std::size_t size);

 private:
  std::string bytes_;
  std::size_t read_ = 0;
};

// Wakes coroutines that wait for something to change.
class WakeUp {
 public:
  void wake() {
    if (timer_) timer_->cancel();
  }
  template <class Executor>
  boost::asio::steady_timer& timer(const Executor& executor) {
    using Timer = boost::asio::steady_timer;
    if (!timer_) timer_ = std::make_unique<Timer>(executor, Timer::time_point::max());
    return *timer_;
  }
  template <class Executor>
  Task<void> wait(Executor executor) {
    co_await timer(executor).async_wait(kNoThrow);
  }

 private:
  std::unique_ptr<boost::asio::steady_timer> timer_;  // most connections never wait
};

// Whether a system call that failed with this may succeed later.
bool is_passing(int error);
// One system call, without blocking. nullopt: the connection is gone.
std::optional<std::size_t> send_now(int socket, std::string_view bytes);
// One system call, without blocking: would_block, eof, or what is wrong.
std::size_t receive_now(int socket, std::span<char> into, boost::system::error_code& error);

// What Beast writes into a stream.
template <class Stream, class Buffers>
std::size_t append_all(Stream& stream, const Buffers& buffers) {
  std::size_t size = 0;
  for (auto at = boost::asio::buffer_sequence_begin(buffers);
       at != boost::asio::buffer_sequence_end(buffers); ++at) {
    const boost::asio::const_buffer part = *at;
    stream.append({static_cast<const char*>(part.data()), part.size()});
    size += part.size();
  }
  return size;
}

// What Beast reads from a stream whose read_some(buffers, error) does not throw.
template <class Stream, class Buffers>
std::size_t read_or_throw(Stream& stream, const Buffers& buffers) {
  boost::system::error_code error;
  const std::size_t size = stream.read_some(buffers, error);
  if (error) throw boost::system::system_error(error);
  return size;
}

}  // namespace graspd::net
