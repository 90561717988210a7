#include "load/hub.h"

#include <cerrno>
#include <unistd.h>

namespace graspd::load {
namespace {

// Keeps system calls rare and stays in the second-level cache. Twice the largest event.
constexpr std::size_t kBufferBytes = 512 * 1024;
constexpr std::size_t kReadyMax = 4096;

}  // namespace

Hub::Hub() : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)), ready_(kReadyMax), buffer_(kBufferBytes) {
  if (epoll_fd_ < 0) throw Failed("no epoll");
}

Hub::~Hub() { ::close(epoll_fd_); }

std::size_t Hub::add(const Endpoint& endpoint) {
  connections_.emplace_back(endpoint);
  watch(connections_.size() - 1, EPOLL_CTL_ADD);
  return connections_.size() - 1;
}

void Hub::watch(std::size_t index, int operation) {
  epoll_event event{};
  event.events = EPOLLIN | (connections_[index].has_unsent() ? EPOLLOUT : 0u);
  event.data.u64 = index;
  if (epoll_ctl(epoll_fd_, operation, connections_[index].fd(), &event) != 0)
    throw Failed("epoll_ctl");
}

void Hub::send(std::size_t index, std::string_view frames) {
  const bool was_waiting = connections_[index].has_unsent();
  connections_[index].send(frames);
  if (connections_[index].has_unsent() != was_waiting) watch(index, EPOLL_CTL_MOD);
}

void Hub::flush(std::size_t index) {
  if (connections_[index].flush()) watch(index, EPOLL_CTL_MOD);
}

std::size_t Hub::wait(int timeout_ms) {
  const int count = epoll_wait(epoll_fd_, ready_.data(), static_cast<int>(kReadyMax), timeout_ms);
  if (count < 0 && errno != EINTR) throw Failed("epoll_wait");
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace graspd::load
