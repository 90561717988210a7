// Pipes to and from processes, on the event loop of the coroutine that uses them.
//
//   R1  Used from the network thread that opened it.
//   R2  close(), and the destruction of the Pipe, ends pending operations: they fail with Closed.
//   R3  One read and one write at a time. They may outlive the Pipe.
//   R4  A write fails when the reader is gone; from the first open_pipe() on, the program ignores
//       SIGPIPE.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/file_descriptor.h"
#include "core/result.h"
#include "core/time.h"
#include "net/net_error.h"
#include "net/task.h"

namespace graspd::net {

class Pipe {
 public:
  Pipe();  // closed
  Pipe(Pipe&&) noexcept;
  Pipe& operator=(Pipe&&) noexcept;
  ~Pipe();

  Task<core::Result<std::size_t, NetError>> read(std::span<char> into);  // 0: the end
  Task<bool> write(std::string_view bytes);                              // all of them
  void close();

 private:
  class Descriptor;
  friend Task<Pipe> open_pipe(core::FileDescriptor end);

  std::shared_ptr<Descriptor> descriptor_;
};

// Makes the descriptor non-blocking and takes it over.
Task<Pipe> open_pipe(core::FileDescriptor end);

// Waits until `fd` (a pidfd, say) is readable; false when that takes longer than `timeout`. The
// descriptor stays the caller's, and may even be closed meanwhile.
Task<bool> readable(int fd, core::Duration timeout);

}  // namespace graspd::net
