// Many connections on one thread and one epoll.
#pragma once
#include <cstddef>
#include <deque>
#include <sys/epoll.h>
#include <vector>

#include "load/connection.h"
#include "load/failure.h"

namespace graspd::load {

class Hub {
 public:
  Hub();
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  std::size_t add(const Endpoint& endpoint);  // its index
  std::size_t size() const { return connections_.size(); }

  void send(std::size_t index, std::string_view frames);

  // Waits at most `timeout_ms` and calls on_text(index, std::string_view) for what arrived.
  // Throws Failed when the server closes a connection.
  template <class OnText>
  void poll(int timeout_ms, OnText&& on_text);

 private:
  void watch(std::size_t index, int operation);
  std::size_t wait(int timeout_ms);
  void flush(std::size_t index);

  int epoll_fd_;
  std::deque<Connection> connections_;
  std::vector<epoll_event> ready_;
  std::vector<char> buffer_;
};

template <class OnText>
void Hub::poll(int timeout_ms, OnText&& on_text) {
  const std::size_t count = wait(timeout_ms);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = ready_[i].data.u64;
    if (ready_[i].events & EPOLLOUT) flush(index);
    if (!(ready_[i].events & ~static_cast<std::uint32_t>(EPOLLOUT))) continue;
    Connection& connection = connections_[index];
    connection.receive(buffer_, [&](std::string_view text) { on_text(index, text); });
    if (connection.closed()) throw Failed("the server closed a connection");
  }
}

}  // namespace graspd::load
