#include "core/address_class.h"

#include <array>

#include "core/check.h"

namespace graspd::core {
namespace {

struct Network {
  std::string_view cidr;
  AddressClass address_class;
};

using enum AddressClass;

// From the IANA special-purpose registries. The first that holds an address counts (R3): narrower
// networks stand above the wider ones that hold them.
constexpr std::array kNetworks = {
    Network{"0.0.0.0/8", Unspecified},
    Network{"10.0.0.0/8", Private},
    Network{"100.64.0.0/10", CarrierShared},
    Network{"127.0.0.0/8", Loopback},
    Network{"169.254.0.0/16", LinkLocal},
    Network{"172.16.0.0/12", Private},
    Network{"192.0.2.0/24", Documentation},
    Network{"192.0.0.0/24", Reserved},
    Network{"192.31.196.0/24", Reserved},  // AS112
    Network{"192.52.193.0/24", Reserved},  // AMT
    Network{"192.88.99.0/24", Reserved},   // 6to4 relays, once
    Network{"192.168.0.0/16", Private},
    Network{"192.175.48.0/24", Reserved},  // AS112
    Network{"198.18.0.0/15", Reserved},    // benchmarks
    Network{"198.51.100.0/24", Documentation},
    Network{"203.0.113.0/24", Documentation},
    Network{"224.0.0.0/4", Multicast},
    Network{"240.0.0.0/4", Reserved},
    Network{"0.0.0.0/0", Global},

    Network{"::/128", Unspecified},
    Network{"::1/128", Loopback},
    Network{"64:ff9b:1::/48", Private},
    Network{"2001:db8::/32", Documentation},
    Network{"2001::/23", Reserved},  // Teredo, benchmarks, ORCHID and other protocols
    Network{"2620:4f:8000::/48", Reserved},
    Network{"3fff::/20", Documentation},
    Network{"2000::/3", Global},
    Network{"fc00::/7", Private},
    Network{"fe80::/10", LinkLocal},
    Network{"fec0::/10", Private},  // site-local, before unique local
    Network{"ff00::/8", Multicast},
};

bool contains(std::string_view cidr, const IpAddress& address) {
  const auto network = Cidr::parse(cidr);
  CHECK(network);
  return network->contains(address);
}

IpAddress v4_at(const IpAddress& address, std::size_t offset) {
  const auto& bytes = address.bytes();
  return IpAddress::from_v4(
      {bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]});
}

}  // namespace

AddressClass classify(const IpAddress& address) {
  if (contains("64:ff9b::/96", address)) return classify(v4_at(address, 12));  // R2: NAT64
  if (contains("2002::/16", address)) return classify(v4_at(address, 2));      // R2: 6to4
  for (const Network& network : kNetworks) {
    if (contains(network.cidr, address)) return network.address_class;
  }
  return Reserved;  // R1
}

bool is_public_name(std::string_view host) {
  constexpr std::array<std::string_view, 8> kNotPublic = {
      ".localhost", ".local", ".localdomain", ".internal",
      ".home.arpa", ".onion", ".test",        ".invalid"};
  if (host.find('.') == std::string_view::npos) return false;
  for (const std::string_view ending : kNotPublic) {
    if (host.ends_with(ending)) return false;
  }
  return true;
}

std::string_view describe(AddressClass address_class) {
  switch (address_class) {
    case Global:
      return "a global address";
    case Unspecified:
      return "an unspecified address";
    case Loopback:
      return "a loopback address";
    case Private:
      return "a private address";
    case LinkLocal:
      return "a link-local address";
    case CarrierShared:
      return "a carrier's shared address";
    case Multicast:
      return "a multicast address";
    case Documentation:
      return "an address of documentation";
    case Reserved:
      return "a reserved address";
  }
  CHECK(false);
}

}  // namespace graspd::core
