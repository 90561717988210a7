#include "load/bare_fanout.h"

#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "load/failure.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

constexpr std::size_t kSendingThreads = 2;
constexpr double kBareSecondsMax = 20;

int listen_on_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, SOMAXCONN) != 0)
    throw Failed("no socket for bare sends");
  return fd;
}

}  // namespace

BareFanout::BareFanout(std::size_t connections) : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)) {
  const int listener = listen_on_loopback();
  for (std::size_t i = 0; i < connections; ++i) connect_pair(listener);
  ::close(listener);
}

BareFanout::~BareFanout() {
  for (const int fd : senders_) ::close(fd);
  for (const int fd : receivers_) ::close(fd);
  ::close(epoll_fd_);
}

void BareFanout::connect_pair(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const int receiver = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receiver < 0 || ::connect(receiver, reinterpret_cast<const sockaddr*>(&address), size) != 0)
    throw Failed("no connection for bare sends");
  receivers_.push_back(receiver);
  const int sender = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (sender < 0) throw Failed("no connection for bare sends");
  senders_.push_back(sender);
  const int yes = 1;
  setsockopt(sender, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = receiver;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, receiver, &event) != 0) throw Failed("epoll_ctl");
}

double BareFanout::send_to_all(std::string_view bytes) {
  const double begin = wall_seconds();
  std::vector<std::jthread> threads;
  for (std::size_t first = 0; first < kSendingThreads; ++first)
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < senders_.size(); i += kSendingThreads)
        ::send(senders_[i], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
  receive_all(bytes.size());
  return wall_seconds() - begin;
}

void BareFanout::receive_all(std::size_t bytes_each) {
  const Deadline deadline(kBareSecondsMax);
  std::array<epoll_event, 256> ready;
  std::array<char, 64 * 1024> buffer;
  for (std::size_t missing = bytes_each * receivers_.size(); missing > 0;) {
    if (deadline.passed()) throw Failed("bare sends did not arrive");
    const int count = epoll_wait(epoll_fd_, ready.data(), ready.size(), 1000);
    for (int i = 0; i < count; ++i) {
      const ssize_t got = ::recv(ready[i].data.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got > 0) missing -= static_cast<std::size_t>(got);
    }
  }
}

}  // namespace graspd::load
