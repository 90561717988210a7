// What part of the world an address belongs to. Decides whom a server may be sent to by a URL that
// a stranger wrote: only what is global, or every stranger could knock at the neighbours' intakes.
//
//   R1  Global is what is routed on the public internet, and nothing else: what is not known to be
//       global is Reserved.
//   R2  An IPv4 address that travels inside an IPv6 one (NAT64, 6to4) has the class of the IPv4
//       address: the packet arrives there. Other tunnels (Teredo, IPv4-compatible) are Reserved.
//   R3  The narrowest network that holds an address names its class.
//   R4  Names that no public resolver knows, or must not be asked for, are not public: single
//       labels, localhost, .local, .localdomain, .internal, .home.arpa, .onion, .test, .invalid.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/ip_address.h"

namespace graspd::core {

enum class AddressClass : std::uint8_t {
  Global,
  Unspecified,    // 0.0.0.0/8, ::
  Loopback,       // this machine
  Private,        // a home or company network: RFC 1918, unique local, local NAT64
  LinkLocal,      // this cable; cloud metadata services live here
  CarrierShared,  // 100.64.0.0/10
  Multicast,
  Documentation,
  Reserved,  // all the rest
};

AddressClass classify(const IpAddress& address);
inline bool is_global(const IpAddress& address) {
  return classify(address) == AddressClass::Global;
}

bool is_public_name(std::string_view host);  // in lower case, no address

std::string_view describe(AddressClass address_class);  // "a loopback address"

}  // namespace graspd::core
