// One WebSocket peer, as the code that talks to it sees it, without Beast.
//
//   R1  All calls come from the socket's own network thread.
//   R2  write() only appends to the outbound buffer. Everything written in one turn of the event
//       loop, and everything written during an earlier flush, is sent in one system call.
//   R3  The outbound buffer is not limited here: the owner watches unsent() and stops or closes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "net/net_error.h"
#include "net/task.h"

namespace graspd::net {

enum class CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  InvalidData = 1007,
  Policy = 1008,
  TooBig = 1009,
  InternalError = 1011,
  TryAgainLater = 1013,
};

struct Message {
  std::string_view text;  // valid until the next read
  bool binary = false;
};

// What went over the wire so far, as compressed and encrypted as it was.
struct WireBytes {
  std::uint64_t in = 0, out = 0;
};

class WebSocket {
 public:
  virtual ~WebSocket() = default;

  virtual Task<core::Result<Message, NetError>> read() = 0;

  virtual void write(std::string_view text) = 0;
  virtual std::size_t unsent() const = 0;
  // What is kept for this peer: unsent, or of a message that has not come whole.
  virtual std::size_t held_bytes() const { return unsent(); }
  virtual WireBytes wire_bytes() const { return {}; }  // 0 where connections are not counted singly
  // Returns when unsent() <= `bytes`, or when the connection is gone (false).
  virtual Task<bool> drained_to(std::size_t bytes) = 0;

  // The largest message that is read from now on; where it can be changed.
  virtual void limit_messages(std::size_t bytes_max) { (void)bytes_max; }

  // Flushes what was written, says goodbye, and ends a pending read. Idempotent.
  virtual void close(CloseCode code, std::string reason) = 0;
  // Ends at once; what is unsent is dropped, where that is possible.
  virtual void drop() { close(CloseCode::Policy, ""); }
};

}  // namespace graspd::net
