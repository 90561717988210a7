#include "gitio/fetch_address.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/address_class.h"

namespace graspd::gitio {

namespace {

using core::IpAddress;
using Addresses = core::Result<std::vector<IpAddress>, std::string>;

// More are not tried anyway.
constexpr std::size_t kAddressesMax = 16;

Addresses look_up(const std::string& host, const NameLookup& lookup) {
  if (const auto address = IpAddress::parse(host)) return std::vector{*address};
  if (!lookup) return core::Failure{std::string("there is nobody to ask for names")};
  return lookup(host);
}

core::Failure<git::FetchError> failure(git::FetchFailure kind, std::string text) {
  return {git::FetchError{kind, std::move(text), 0, std::nullopt}};
}

}  // namespace

core::Result<std::vector<IpAddress>, git::FetchError> permitted_addresses(
    const git::FetchUrl& url, const RemoteOptions& options) {
  if (options.access && !options.access(url).is_allowed)  // R4
    return failure(git::FetchFailure::Unreachable,
                   fmt::format("{} is not known as a private service (GRASP-08)", url.host()));
  auto addresses = look_up(url.host(), options.lookup);
  if (!addresses)
    return failure(git::FetchFailure::Unreachable,
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
