#include "app/server/inherited_socket.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/ip_address.h"

namespace graspd::app {
namespace {

using core::Failure;
using Inherited = core::Result<std::optional<int>, std::string>;

constexpr int kFirstFd = 3;  // SD_LISTEN_FDS_START

std::string_view value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

bool is_listening(int fd) {
  int listening = 0;
  socklen_t size = sizeof listening;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

std::optional<core::IpAddress> local_address(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  if (storage.ss_family == AF_INET) {
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in*>(&storage)->sin_addr, bytes.size());
    return core::IpAddress::from_v4(bytes);
  }
  if (storage.ss_family == AF_INET6) {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in6*>(&storage)->sin6_addr, bytes.size());
    return core::IpAddress::from_v6(bytes);
  }
  return std::nullopt;
}

Inherited taken(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // R3
  return std::optional<int>(fd);
}

Inherited from_test(int fd) {
  const auto address = local_address(fd);
  if (!is_listening(fd) || !address || !address->is_loopback()) {  // R2
    return Failure{fmt::format(
        "NGIT_TEST_LISTENER_FD: {} is no socket that listens on a loopback address; hand over one "
        "that does, or remove the setting",
        fd)};
  }
  return taken(fd);
}

Inherited from_service_manager(std::string_view count) {
  if (count != "1") {  // R1
    return Failure{fmt::format(
        "the service manager handed over {} sockets; give the socket unit one ListenStream=",
        count)};
  }
  if (!is_listening(kFirstFd) || !local_address(kFirstFd)) {  // R2
    return Failure{
        std::string("what the service manager handed over is no listening TCP socket; use "
                    "ListenStream=ip:port with Accept=no in the socket unit")};
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  return taken(kFirstFd);
}

}  // namespace

Inherited inherited_socket(const Settings& settings, const Environment& environment) {
  if (settings.test_listener_fd) return from_test(*settings.test_listener_fd);
  const auto count = value_of(environment, "LISTEN_FDS");
  if (count.empty() || count == "0") return std::optional<int>();
  if (value_of(environment, "LISTEN_PID") != std::to_string(::getpid())) {
    return std::optional<int>();
  }
  return from_service_manager(count);
}

}  // namespace graspd::app
