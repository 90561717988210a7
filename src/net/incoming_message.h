// The message that a WebSocket is reading: its buffer, and since when it is incomplete. Both ends
// of a WebSocket use it.
//
//   R1  The buffer grows with the bytes received, not with the announced length.
//   R2  A message is incomplete from its first byte to its last. Time in which nobody reads, and
//       the time between two messages, do not count.
//   R3  An idle connection keeps at most kFirstChunkBytes.
#pragma once
#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <optional>
#include <string_view>

#include "core/time.h"
#include "net/clock.h"

namespace graspd::net {

class IncomingMessage {
 public:
  // What an idle connection has ready for the next message.
  static constexpr std::size_t kFirstChunkBytes = 1536;
  // How far the buffer runs ahead of what has arrived.
  static constexpr std::size_t kChunkBytes = 16 * 1024;

  // Where the next bytes go. `Stream` is Beast's WebSocket.
  template <class Stream>
  boost::asio::mutable_buffer next_chunk(Stream& stream) {  // R1
    if (buffer_.size() == 0) return buffer_.prepare(kFirstChunkBytes);
    const std::size_t wanted = stream.read_size_hint(buffer_);
    return buffer_.prepare(std::min(wanted, std::max(kChunkBytes, buffer_.size())));
  }
  // So many bytes came; `is_done` when nothing of this message is missing any more.
  void took(std::size_t bytes, bool is_done) {
    buffer_.commit(bytes);
    if (is_done)
      unfinished_since_.reset();
    else if (!unfinished_since_)
      unfinished_since_ = now().instant;
  }
  void clear() {  // R3
    buffer_.consume(buffer_.size());
    if (buffer_.capacity() > kFirstChunkBytes) buffer_.shrink_to_fit();
    unfinished_since_.reset();
  }

  std::string_view text() const {
    const auto bytes = buffer_.cdata();
    return {static_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::size_t held_bytes() const { return buffer_.capacity(); }
  // R2; a limit of 0 asks for nothing.
  bool is_overdue(core::Instant at, core::Duration limit) const {
    return limit.count() > 0 && unfinished_since_ && at - *unfinished_since_ >= limit;
  }

 private:
  boost::beast::flat_buffer buffer_;
  std::optional<core::Instant> unfinished_since_;
};

}  // namespace graspd::net
