// Who is at the other end when proxies stand between: the address that limits and logs count.
//
//   R1  Headers are believed only from a trusted peer; with no trusted networks, never.
//   R2  The first header present of X-Forwarded-For, Forwarded and X-Real-IP decides alone.
//   R3  Its hops are walked from the right for as long as the hop before them is trusted. What
//       stands further left was written by someone nobody vouches for, and is not looked at.
//   R4  A hop that cannot be read (`unknown`, `_hidden`, nothing) makes the peer the client: a
//       forged header must not choose its author's address.
//   R5  A hop may carry a port: 1.2.3.4:5, [2001:db8::1]:5.
#pragma once
#include <span>

#include "core/ip_address.h"
#include "http/message.h"

namespace graspd::http {

core::IpAddress client_address(const core::IpAddress& peer, const Headers& headers,
                               std::span<const core::Cidr> trusted);

}  // namespace graspd::http
