// The other end of a connection, for tests: plain sockets, bytes and frames written by hand, so
// that it can also misbehave. Waits with poll(); what does not come in time is an exception.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "core/file_descriptor.h"

namespace graspd::net {

enum Opcode : std::uint8_t {
  kContinue = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10
};

struct Frame {
  std::uint8_t opcode = kText;
  std::string payload;
  bool fin = true;
  bool compressed = false;
  bool masked = true;

  std::uint16_t close_code() const {
    if (opcode != kClose || payload.size() < 2) return 0;
    return static_cast<std::uint16_t>((static_cast<unsigned char>(payload[0]) << 8) |
                                      static_cast<unsigned char>(payload[1]));
  }
};

inline std::string wire(const Frame& frame) {
  const std::uint64_t size = frame.payload.size();
  std::string bytes;
  bytes += static_cast<char>((frame.fin ? 0x80 : 0) | (frame.compressed ? 0x40 : 0) | frame.opcode);
  const int mask_bit = frame.masked ? 0x80 : 0;
  const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  bytes += static_cast<char>(mask_bit | (length_bytes == 0   ? static_cast<int>(size)
                                         : length_bytes == 2 ? 126
                                                             : 127));
  for (int i = length_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i));
  if (!frame.masked) return bytes + frame.payload;
  constexpr std::string_view kMask = "\x11\x22\x33\x44";
  bytes += kMask;
  for (std::uint64_t i = 0; i < size; ++i)
    bytes += static_cast<char>(frame.payload[i] ^ kMask[i % 4]);
  return bytes;
}

class LoopbackPeer {
 public:
  explicit LoopbackPeer(std::uint16_t port, int receive_buffer_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer_bytes > 0)
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(int));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size < 0) throw std::runtime_error(std::string("send: ") + std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  void send(const Frame& frame) { send(wire(frame)); }

  // Up to and with `mark`.
  std::string read_until(std::string_view mark) {
    std::size_t at;
    while ((at = received_.find(mark)) == std::string::npos) receive_or_throw();
    return take(at + mark.size());
  }
  std::string read_exactly(std::size_t size) {
    while (received_.size() < size) receive_or_throw();
    return take(size);
  }
  // Everything until the server closes.
  std::string read_all() {
    while (receive()) {
    }
    return take(received_.size());
  }

  // Header and body of one response, by its Content-Length.
  std::string read_response() {
    std::string head = read_until("\r\n\r\n");
    const std::size_t at = head.find("Content-Length: ");
    return at == std::string::npos ? head : head + read_exactly(std::stoul(head.substr(at + 16)));
  }

  std::string upgrade(std::string_view more_headers = "") {
    send(
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
        std::string(more_headers) + "\r\n");
    return read_until("\r\n\r\n");
  }

  Frame read_frame() {
    const std::string head = read_exactly(2);
    Frame frame;
    frame.fin = head[0] & 0x80;
    frame.compressed = head[0] & 0x40;
    frame.masked = head[1] & 0x80;
    frame.opcode = head[0] & 0x0F;
    std::uint64_t size = head[1] & 0x7F;
    if (size >= 126) {
      const std::string length = read_exactly(size == 126 ? 2 : 8);
      size = 0;
      for (const char byte : length) size = size << 8 | static_cast<unsigned char>(byte);
    }
    frame.payload = read_exactly(size);
    return frame;
  }
  std::string echo(std::string_view text) {
    send(Frame{kText, std::string(text)});
    return read_frame().payload;
  }

  void finish_writing() { ::shutdown(socket_.get(), SHUT_WR); }

 private:
  static constexpr int kPatienceMs = 20'000;

  bool receive() {  // false: the server closed
    pollfd ready{socket_.get(), POLLIN, 0};
    if (::poll(&ready, 1, kPatienceMs) != 1) throw std::runtime_error("nothing came in time");
    char buffer[65536];
    const ssize_t size = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (size > 0) received_.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }
  void receive_or_throw() {
    if (!receive()) throw std::runtime_error("the server closed; unread: " + received_);
  }
  std::string take(std::size_t size) {
    std::string taken = received_.substr(0, size);
    received_.erase(0, size);
    return taken;
  }

  core::FileDescriptor socket_;
  std::string received_;
};

}  // namespace graspd::net
