#include "load/connection.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "core/check.h"
#include "load/failure.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

// Room for a whole window of events in either direction: fewer, larger system calls here.
constexpr int kSocketBufferBytes = 2 * 1024 * 1024;
constexpr std::size_t kResponseHeaderMax = 16 * 1024;

[[noreturn]] void fail(const char* what) {
  throw Failed(std::string(what) + ": " + std::strerror(errno));
}

sockaddr_in loopback(std::uint8_t last_byte, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(0x7f000000u | last_byte);
  return address;
}

void bind_source(int fd, std::uint8_t last_byte) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  const sockaddr_in source = loopback(last_byte, 0);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&source), sizeof source) != 0) fail("bind");
}

int connect_to(const Endpoint& endpoint) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (endpoint.source != 1) bind_source(fd, endpoint.source);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const sockaddr_in server = loopback(1, endpoint.port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) {
    ::close(fd);
    fail("connect");
  }
  return fd;
}

// Reads up to the empty line, and not a byte of what follows it.
std::string read_response_header(int fd) {
  const timeval patience{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string header;
  std::array<char, 2048> peeked;
  while (header.size() < kResponseHeaderMax) {
    const ssize_t seen = ::recv(fd, peeked.data(), peeked.size(), MSG_PEEK);
    if (seen == 0) throw Failed("the server closed the connection instead of upgrading it");
    if (seen < 0) fail("no answer to the upgrade");
    const std::size_t before = header.size();
    header.append(peeked.data(), static_cast<std::size_t>(seen));
    const std::size_t end = header.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (end != std::string::npos) header.resize(end + 4);
    const std::size_t taken = header.size() - before;
    if (::recv(fd, peeked.data(), taken, 0) != static_cast<ssize_t>(taken)) fail("recv");
    if (end != std::string::npos) return header;
  }
  throw Failed("the answer to the upgrade has no end");
}

void upgrade(int fd, std::uint16_t port) {
  const std::string request = "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                              "Sec-WebSocket-Version: 13\r\n\r\n";
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    fail("send");
  const std::string header = read_response_header(fd);
  if (header.find(" 101 ") != 8) throw Failed("upgrade refused: " + header.substr(0, 60));
}

}  // namespace

Connection::Connection(const Endpoint& endpoint) : fd_(connect_to(endpoint)) {
  try {
    upgrade(fd_, endpoint.port);
  } catch (const Failed&) {
    ::close(fd_);
    throw;
  }
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() {
  if (fd_ >= 0) ::close(fd_);
}

Connection::Connection(Connection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      closed_(other.closed_),
      partial_(std::move(other.partial_)),
      fragments_(std::move(other.fragments_)),
      whole_(std::move(other.whole_)),
      unsent_(std::move(other.unsent_)) {}

void Connection::send(std::string_view frames) {
  if (has_unsent()) {
    unsent_.append(frames);
    return;
  }
  const ssize_t sent = ::send(fd_, frames.data(), frames.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN) throw Failed("the server closed a connection while we sent");
  unsent_.assign(frames.substr(sent < 0 ? 0 : static_cast<std::size_t>(sent)));
}

bool Connection::flush() {
  const std::string frames = std::exchange(unsent_, {});
  if (!frames.empty()) send(frames);
  return !has_unsent();
}

std::optional<std::size_t> Connection::read_into(std::span<char> buffer) {
  CHECK(partial_.size() < buffer.size());
  std::copy(partial_.begin(), partial_.end(), buffer.begin());
  const std::span<char> room = buffer.subspan(partial_.size());
  const ssize_t got = ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got <= 0) {
    closed_ = true;
    return std::nullopt;
  }
  return partial_.size() + static_cast<std::size_t>(got);
}

std::optional<std::string_view> Connection::next_text(std::string_view& bytes) {
  while (const std::optional<FrameHeader> header = read_server_header(bytes)) {
    const std::size_t frame_bytes = header->header_bytes + header->payload_bytes;
    if (bytes.size() < frame_bytes) return std::nullopt;
    const std::string_view payload = bytes.substr(header->header_bytes, header->payload_bytes);
    bytes.remove_prefix(frame_bytes);
    if (static_cast<std::uint8_t>(header->opcode) >= static_cast<std::uint8_t>(Opcode::Close)) {
      on_control(*header, payload);
    } else if (header->final && header->opcode != Opcode::Continuation) {
      return payload;
    } else {
      fragments_.append(payload);
      if (!header->final) continue;
      whole_ = std::exchange(fragments_, {});
      return whole_;
    }
  }
  return std::nullopt;
}

void Connection::on_control(const FrameHeader& header, std::string_view payload) {
  if (header.opcode == Opcode::Close) closed_ = true;
  if (header.opcode != Opcode::Ping) return;
  std::string pong;
  append_client_frame(pong, Opcode::Pong, payload);
  send(pong);
}

std::string Connection::read_text(std::span<char> buffer, double seconds_max) {
  const Deadline deadline(seconds_max);
  std::string first;
  bool found = false;
  while (!found) {
    if (deadline.passed() || closed_) throw Failed("no answer from the server");
    pollfd waiting{fd_, static_cast<short>(POLLIN | (has_unsent() ? POLLOUT : 0)), 0};
    ::poll(&waiting, 1, 200);
    if (waiting.revents & POLLOUT) flush();
    receive(buffer, [&](std::string_view text) {
      if (!std::exchange(found, true)) first = text;
    });
  }
  return first;
}

}  // namespace graspd::load
