#include "net/system_lookup.h"

#include <array>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>

namespace graspd::net {
namespace {

using core::Failure;
using core::IpAddress;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

std::optional<IpAddress> address_of(const addrinfo& entry) {
  if (entry.ai_family == AF_INET) {
    std::array<std::uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in*>(entry.ai_addr)->sin_addr, 4);
    return IpAddress::from_v4(bytes);
  }
  if (entry.ai_family != AF_INET6) return std::nullopt;
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(entry.ai_addr)->sin6_addr, 16);
  return IpAddress::from_v6(bytes);
}

// R1
bool is_about_the_name(int error) {
  return error == EAI_NONAME || error == EAI_NODATA || error == EAI_ADDRFAMILY;
}

}  // namespace

core::Result<std::vector<IpAddress>, std::string> system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (is_about_the_name(error)) return std::vector<IpAddress>{};
  if (error != 0) return Failure{std::string(::gai_strerror(error))};
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::vector<IpAddress> addresses;
  for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
    if (const auto address = address_of(*entry)) addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace graspd::net
