#include "load/http_get.h"

#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>

namespace graspd::load {
namespace {

std::string converse(int fd, const std::string& request) {
  const timeval patience{5, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  std::array<char, 16 * 1024> buffer;
  for (ssize_t got = 1; got > 0;) {
    got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got > 0) answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

}  // namespace

std::optional<HttpAnswer> http_get(std::uint16_t port, const std::string& path) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(port);
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0)
    answer = converse(fd, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                              "\r\nConnection: close\r\n\r\n");
  ::close(fd);

  const std::size_t body = answer.find("\r\n\r\n");
  if (body == std::string::npos) return std::nullopt;
  return HttpAnswer{std::atoi(answer.c_str() + 9), answer.substr(body + 4)};
}

}  // namespace graspd::load
