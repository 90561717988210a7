// Addresses as values: parse, compare, belong to a network.
//
//   R1  An IPv4 address inside an IPv6 one (::ffff:1.2.3.4) is that IPv4 address: two spellings
//       cannot be two clients.
//   R2  Only the plain spellings are read: no octal or shortened IPv4, no zone (fe80::1%eth0),
//       no brackets, no port.
//   R3  A network holds addresses of its own family alone: who trusts ::/0 has not trusted IPv4.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::core {

class IpAddress {
 public:
  IpAddress() = default;                                         // ::
  static std::optional<IpAddress> parse(std::string_view text);  // "1.2.3.4", "2001:db8::1"
  static IpAddress from_v4(const std::array<std::uint8_t, 4>& bytes);
  static IpAddress from_v6(const std::array<std::uint8_t, 16>& bytes);

  bool is_v4() const;
  bool is_loopback() const;
  // What one customer of a provider is given: an IPv4 address, or the /64 of an IPv6 address. Who
  // counts clients counts these.
  IpAddress allotment() const;
  std::string text() const;                                             // as RFC 5952 writes it
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }  // v4 as ::ffff:a.b.c.d

  auto operator<=>(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// "10.0.0.0/8", "fd00::/8", or a single address. Bits beyond the prefix do not matter.
class Cidr {
 public:
  static std::optional<Cidr> parse(std::string_view text);
  bool contains(const IpAddress& address) const;

 private:
  Cidr(const IpAddress& network, unsigned prefix_bits)
      : network_(network), prefix_bits_(prefix_bits) {}

  IpAddress network_;     // bits beyond the prefix are zero
  unsigned prefix_bits_;  // of the 16-byte form
};

}  // namespace graspd::core
