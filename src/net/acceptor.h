// Accepts connections from the listening socket and distributes them to the network threads in
// turn.
//
//   R1  A failed accept (no more files or memory) pauses accepting; it does not end it.
//   R2  A pause is logged at most once a minute: a full server must not fill its log too.
#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "core/file_descriptor.h"
#include "net/http_connection.h"
#include "net/network_thread.h"

namespace graspd::net {

class Acceptor {
 public:
  using Threads = std::vector<std::unique_ptr<NetworkThread>>;

  // Lives on the first of `threads`.
  Acceptor(core::FileDescriptor listener, Threads& threads, ConnectionContext& context);

  Task<void> run();
  void stop();
  std::uint64_t failures() const { return failures_.value(); }

 private:
  std::optional<int> accept_waiting();  // errno of what it could not do
  void deal(core::FileDescriptor socket, const core::IpAddress& peer);
  Task<void> pause(int error);

  Threads& threads_;
  ConnectionContext& context_;
  boost::asio::posix::basic_stream_descriptor<NetworkThread::Executor> listener_;
  boost::asio::steady_timer pause_timer_;
  std::size_t next_thread_ = 0;
  std::optional<core::Instant> logged_at_;
  Meter failures_;
};

}  // namespace graspd::net
