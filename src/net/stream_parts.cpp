#include "net/stream_parts.h"

#include <boost/asio/error.hpp>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace graspd::net {

std::string SendQueue::sent(std::size_t size) {
  sent_ += size;
  if (sent_ == bytes_.size()) {
    sent_ = 0;
    return std::exchange(bytes_, {});
  }
  if (sent_ > bytes_.size() / 2) {  // so that each byte is moved once at most
    bytes_.erase(0, sent_);
    sent_ = 0;
  }
  return {};
}

void SendQueue::clear() {
  std::string().swap(bytes_);  // assignment would keep the memory
  sent_ = 0;
}

void HeldBytes::append(std::string_view bytes) {
  if (bytes.empty()) return;
  bytes_.erase(0, read_);
  read_ = 0;
  bytes_.append(bytes);
}

void HeldBytes::consume(std::size_t size) {
  read_ += size;
  if (read_ < bytes_.size()) return;
  std::string().swap(bytes_);
  read_ = 0;
}

bool is_passing(int error) { return error == EAGAIN || error == EINTR || error == ENOBUFS; }

std::optional<std::size_t> send_now(int socket, std::string_view bytes) {
  const ssize_t size = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size >= 0) return static_cast<std::size_t>(size);
  if (is_passing(errno)) return 0;
  return std::nullopt;
}

std::size_t receive_now(int socket, std::span<char> into, boost::system::error_code& error) {
  namespace asio = boost::asio;
  const ssize_t size = ::recv(socket, into.data(), into.size(), 0);
  if (size > 0) return static_cast<std::size_t>(size);
  if (size == 0)
    error = asio::error::eof;
  else if (errno == EAGAIN || errno == EINTR)
    error = asio::error::would_block;
  else
    error = boost::system::error_code(errno, boost::system::system_category());
  return 0;
}

}  // namespace graspd::net
