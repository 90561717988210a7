// A stream over a pair of sockets, for tests.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "core/file_descriptor.h"
#include "net/batched_stream.h"
#include "net/task_group.h"

namespace graspd::net {

// A stream, its event loop and its peer, all on this thread: nothing happens between two calls.
struct StreamPair {
  StreamPair() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
      throw std::runtime_error("socketpair");
    peer = core::FileDescriptor(fds[0]);
    BatchedStream::Socket socket(context.get_executor());
    socket.assign(boost::asio::ip::tcp::v4(), fds[1]);
    stream = std::make_unique<BatchedStream>(std::move(socket), *buffers);
  }
  ~StreamPair() {
    context.restart();
    spawn(stream->settle());
    context.run();
  }
  void spawn(Task<void> task) { group.spawn(context.get_executor(), "test", std::move(task)); }

  // What the sockets take of it now; 0: they are full.
  std::size_t peer_sends(std::string_view bytes) {
    const ssize_t size = ::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  std::size_t peer_receives() {
    static std::string into(64 * 1024, ' ');
    const ssize_t size = ::recv(peer.get(), into.data(), into.size(), 0);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }

  std::unique_ptr<ThreadBuffers> buffers = std::make_unique<ThreadBuffers>();
  core::FileDescriptor peer;
  TaskGroup group;
  boost::asio::io_context context;
  std::unique_ptr<BatchedStream> stream;
};

}  // namespace graspd::net
