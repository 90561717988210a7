#include "net/listening_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>

namespace graspd::net {
namespace {

// An address as the system calls want it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* pointer() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

SocketAddress v4_address(const core::IpAddress& address, std::uint16_t port) {
  SocketAddress result;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port);
  std::memcpy(&v4->sin_addr, address.bytes().data() + 12, 4);
  result.size = sizeof *v4;
  return result;
}

SocketAddress v6_address(const core::IpAddress& address, std::uint16_t port) {
  SocketAddress result;
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  std::memcpy(&v6->sin6_addr, address.bytes().data(), 16);
  result.size = sizeof *v6;
  return result;
}

core::IpAddress ip_of(const SocketAddress& address) {
  if (address.family() == AF_INET) {
    std::array<std::uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr, 4);
    return core::IpAddress::from_v4(bytes);
  }
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr,
              16);
  return core::IpAddress::from_v6(bytes);
}

std::optional<core::IpAddress> ip_named(std::string_view name) {
  if (name == "localhost") name = "127.0.0.1";
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return core::IpAddress::parse(name);
}

std::string remedy(const Endpoint& endpoint, int error) {
  const std::string where = fmt::format("{}:{}", endpoint.address, endpoint.port);
  switch (error) {
    case EADDRINUSE:
      return fmt::format("{} is in use: stop the other server or choose NGIT_BIND_ADDRESS", where);
    case EADDRNOTAVAIL:
      return fmt::format("{} is not an address of this machine: choose NGIT_BIND_ADDRESS", where);
    case EACCES:
      return fmt::format("{} needs privileges: choose a port above 1023 in NGIT_BIND_ADDRESS",
                         where);
    default:
      return fmt::format("cannot listen on {}: {}", where, std::strerror(error));
  }
}

int option_of(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_listening_tcp(int fd) {
  const int domain = option_of(fd, SO_DOMAIN);
  return (domain == AF_INET || domain == AF_INET6) && option_of(fd, SO_TYPE) == SOCK_STREAM &&
         option_of(fd, SO_ACCEPTCONN) == 1;
}

core::Result<core::FileDescriptor, std::string> take_over(int fd) {
  if (!is_listening_tcp(fd))
    return core::Failure{fmt::format("file descriptor {} is not a listening TCP socket", fd)};
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return core::FileDescriptor(fd);
}

core::Result<core::FileDescriptor, std::string> bind_and_listen(const Endpoint& endpoint,
                                                                const SocketAddress& address) {
  core::FileDescriptor socket(
      ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return core::Failure{remedy(endpoint, errno)};
  const int on = 1, off = 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6)  // "::" is meant for both
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(socket.get(), address.pointer(), address.size) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return core::Failure{remedy(endpoint, errno)};
  return socket;
}

}  // namespace

core::Result<core::FileDescriptor, std::string> listening_socket(const Endpoint& endpoint) {
  if (endpoint.inherited_fd) return take_over(*endpoint.inherited_fd);
  const auto ip = ip_named(endpoint.address);
  if (!ip)
    return core::Failure{
        fmt::format("{} is not an IP address: correct NGIT_BIND_ADDRESS", endpoint.address)};
  return bind_and_listen(
      endpoint, ip->is_v4() ? v4_address(*ip, endpoint.port) : v6_address(*ip, endpoint.port));
}

std::uint16_t local_port(const core::FileDescriptor& socket) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockname(socket.get(), address.pointer(), &address.size) != 0) return 0;
  // The port lies at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

core::Result<Accepted, int> accept_from(int listener) {
  SocketAddress address;
  address.size = sizeof address.storage;
  core::FileDescriptor socket(
      ::accept4(listener, address.pointer(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return core::Failure{errno};
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Accepted{std::move(socket), ip_of(address)};
}

}  // namespace graspd::net
