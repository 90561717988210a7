// One WebSocket to the server under load: as cheap as a client can be, so that the time measured
// is the server's.
//
//   R1  Offers no compression; answers pings; puts fragmented messages together.
//   R2  Owns no receive buffer: it reads through the one it is given and keeps only the beginning
//       of a message whose end has not arrived.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "load/frame.h"

namespace graspd::load {

struct Endpoint {
  std::uint16_t port = 0;
  // Last byte of the 127.0.0.x the connection comes from: one address has about 28,000 ports.
  std::uint8_t source = 1;
};

class Connection {
 public:
  // Connects and upgrades; throws Failed when the server will not.
  explicit Connection(const Endpoint& endpoint);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;

  int fd() const { return fd_; }
  bool closed() const { return closed_; }

  // Sends what the socket takes and keeps the rest for flush().
  void send(std::string_view frames);
  bool flush();  // true when nothing is left
  bool has_unsent() const { return !unsent_.empty(); }

  // One recv() through `buffer`; calls on_text(std::string_view) for each whole message.
  // False when the socket had nothing.
  template <class OnText>
  bool receive(std::span<char> buffer, OnText&& on_text);

  // Blocks until a message is there; what comes with it is dropped.
  std::string read_text(std::span<char> buffer, double seconds_max);

 private:
  std::optional<std::size_t> read_into(std::span<char> buffer);
  // The text of the next message in `bytes`, which is shortened by it; nullopt when there is no
  // whole one.
  std::optional<std::string_view> next_text(std::string_view& bytes);
  void on_control(const FrameHeader& header, std::string_view payload);

  int fd_ = -1;
  bool closed_ = false;
  std::string partial_;    // R2
  std::string fragments_;  // R1
  std::string whole_;
  std::string unsent_;
};

template <class OnText>
bool Connection::receive(std::span<char> buffer, OnText&& on_text) {
  const std::optional<std::size_t> filled = read_into(buffer);
  if (!filled) return false;
  std::string_view bytes(buffer.data(), *filled);
  while (const std::optional<std::string_view> text = next_text(bytes)) on_text(*text);
  partial_.assign(bytes);
  return true;
}

}  // namespace graspd::load
