// One HTTP request answered as a stream.
//
//   R1  No body is held in memory: reading waits for the client, and writing returns when the
//       socket has taken everything.
//   R2  The body is read without its framing (Content-Length, chunked) and without its encoding
//       (gzip, x-gzip, deflate); another encoding is answered 415 before the handler sees it.
//   R3  Reading a body that ends early or breaks its framing fails. It never looks complete.
//   R4  `Expect: 100-continue` is answered by the first read().
//   R5  What the handler leaves unread is drained within limits; beyond them the connection ends,
//       after the client got its response.
//   R6  All calls come from the network thread of the exchange: one read() and one write() at a
//       time, which may run concurrently with each other and with gone().
//   R7  If a write() is cancelled midway (see later.h), the connection ends; a cancelled read() may
//       be repeated.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "http/message.h"
#include "net/net_error.h"
#include "net/rate_credit.h"
#include "net/task.h"

namespace graspd::net {

// The bounds of one request's body.
struct StreamOptions {
  std::uint64_t body_bytes_max = 64 * 1024;  // inflated
  core::Duration idle_timeout{60'000};       // while read() waits, no byte came for this long
  MinimumRate rate_min;                      // of the body as it is sent, and of the answer
  std::uint64_t inflate_ratio_max = 200;     // inflated bytes per byte received, see inflate.h
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const http::Request& request() const = 0;  // line and headers; the body is empty
  virtual std::size_t thread() const = 0;            // the index of its network thread

  // The next bytes of the body, valid until the next read(); empty at its end. Fails with
  //   Closed    the client went away before the body's end
  //   TimedOut  idle_timeout or rate_min; there is still time for an answer, and no other follows
  //   Protocol  broken chunks or compression
  //   TooBig    a bound of StreamOptions is exceeded
  virtual Task<core::Result<std::string_view, NetError>> read() = 0;

  // Why reading has failed, also a read() that was cancelled over it.
  virtual std::optional<NetError> failure() const = 0;

  // Once, either the three of these in turn, or respond(). False: the client is gone.
  // The body of `head` is ignored. HEAD gets no body whatever is written. Give responses a name:
  // g++ 12 miscompiles a braced one inside of a co_await.
  virtual Task<bool> begin(http::Response head) = 0;
  virtual Task<bool> write(std::string_view bytes) = 0;
  virtual Task<bool> finish() = 0;

  // An ordinary answer with Content-Length.
  virtual Task<bool> respond(http::Response whole) = 0;

  // Returns when the client has gone away or the answer is given. A client that has finished
  // writing counts as gone, for the two cannot be told apart. Until the body has been read to its
  // end only a failed read or write is noticed.
  virtual Task<void> gone() = 0;
};

}  // namespace graspd::net
