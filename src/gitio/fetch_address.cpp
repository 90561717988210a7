#include "gitio/fetch_address.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

#include "core/address_class.h"

namespace graspd::gitio {

namespace {

using core::IpAddress;
using Addresses = core::Result<std::vector<IpAddress>, std::string>;

// More are not tried anyway.
constexpr std::size_t kAddressesMax = 16;

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

Addresses ask_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) return core::Failure{std::string(::gai_strerror(error))};
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::vector<IpAddress> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (const auto address = address_of(*entry)) addresses.push_back(*address);
  }
  return addresses;
}

Addresses look_up(const std::string& host, const NameLookup& lookup) {
  if (const auto address = IpAddress::parse(host)) return std::vector{*address};
  return lookup ? lookup(host) : ask_system(host);
}

core::Failure<git::FetchError> failure(git::FetchFailure kind, std::string text) {
  return {git::FetchError{kind, std::move(text), 0, std::nullopt}};
}

}  // namespace

core::Result<std::vector<IpAddress>, git::FetchError> permitted_addresses(
    const git::FetchUrl& url, const RemoteOptions& options) {
  auto addresses = look_up(url.host(), options.lookup);
  if (!addresses)
    return failure(git::FetchFailure::Name,
                   fmt::format("{}: {}", url.host(), std::move(addresses).error()));
  if (addresses->empty())
    return failure(git::FetchFailure::Name, fmt::format("{} has no address", url.host()));
  const IpAddress first = addresses->front();
  if (!options.allow_private_addresses)
    std::erase_if(*addresses, [](const IpAddress& address) { return !core::is_global(address); });
  if (addresses->empty())
    return failure(git::FetchFailure::Forbidden,
                   fmt::format("{} is {}", url.host(), describe(core::classify(first))));
  if (addresses->size() > kAddressesMax) addresses->resize(kAddressesMax);
  return *std::move(addresses);
}

}  // namespace graspd::gitio
