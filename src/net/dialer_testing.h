// For tests of the client side: coroutines run to their end, and a peer whose every word is
// written by hand.
#pragma once
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <utility>

#include "core/file_descriptor.h"
#include "net/dialer.h"
#include "net/dialer_loop.h"

namespace graspd::net {

template <class T>
Task<int> store_result(Task<T> task, std::optional<T>* result) {
  result->emplace(co_await std::move(task));
  co_return 0;
}

template <class T>
T finished(Task<T> task) {
  std::optional<T> result;
  run_to_end(store_result(std::move(task), &result));
  return *std::move(result);
}

inline DialTarget on_this_machine(std::uint16_t port, std::string path = "/") {
  return {"127.0.0.1", port, std::move(path), false};
}

inline DialOptions private_allowed() {
  DialOptions options;
  options.allow_private_addresses = true;
  return options;
}

// Listens, and does by hand what it is told. Nothing that takes longer than 20 s is waited for.
class RawListener {
 public:
  RawListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(socket_.get(), 8) != 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("cannot listen");
    port_ = ntohs(address.sin_port);
  }
  std::uint16_t port() const { return port_; }

  core::FileDescriptor accept() {
    wait(socket_.get());
    return core::FileDescriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  static void wait(int fd) {
    pollfd ready{fd, POLLIN, 0};
    if (::poll(&ready, 1, 20'000) != 1) throw std::runtime_error("nothing came in time");
  }
  static std::string read_until(int fd, std::string_view mark) {
    std::string text;
    char byte = 0;
    while (text.find(mark) == std::string::npos) {
      wait(fd);
      if (::recv(fd, &byte, 1, 0) != 1) throw std::runtime_error("the client hung up: " + text);
      text += byte;
    }
    return text;
  }
  static void send(int fd, std::string_view text) {
    if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot send");
  }

 private:
  core::FileDescriptor socket_;
  std::uint16_t port_ = 0;
};

// The 101 that belongs to a handshake (RFC 6455 §4.2.2).
inline std::string switching_protocols(const std::string& request) {
  constexpr std::string_view kField = "Sec-WebSocket-Key: ";
  const std::size_t at = request.find(kField) + kField.size();
  const std::string salted =
      request.substr(at, request.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(salted.data()), salted.size(), digest);
  unsigned char base64[64];
  const int size = EVP_EncodeBlock(base64, digest, sizeof digest);
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         std::string(reinterpret_cast<char*>(base64), static_cast<std::size_t>(size)) + "\r\n\r\n";
}

}  // namespace graspd::net
