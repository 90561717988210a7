#include "core/ip_address.h"

#include <algorithm>
#include <arpa/inet.h>  // the parser and printer alone; no socket is touched
#include <charconv>

#include "core/check.h"

namespace graspd::core {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kMappedPrefixBits = 96;

bool is_v6_spelling(std::string_view text) { return text.find(':') != std::string_view::npos; }

// inet_pton wants a terminated string; one with a NUL inside would be read only up to it.
bool read(int family, std::string_view text, std::uint8_t* out) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), terminated.begin());
  return inet_pton(family, terminated.data(), out) == 1;
}

std::array<std::uint8_t, 16> masked(std::array<std::uint8_t, 16> bytes, unsigned prefix_bits) {
  for (unsigned i = 0; i < bytes.size(); ++i) {
    const unsigned kept = std::clamp(prefix_bits, i * 8, i * 8 + 8) - i * 8;
    bytes[i] &= static_cast<std::uint8_t>(0xff00u >> kept);
  }
  return bytes;
}

std::optional<unsigned> parse_prefix(std::string_view text, unsigned max) {
  unsigned bits = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, bits);
  if (error != std::errc() || stopped != end || bits > max) return std::nullopt;
  return bits;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (is_v6_spelling(text)) {
    std::array<std::uint8_t, 16> bytes;
    if (!read(AF_INET6, text, bytes.data())) return std::nullopt;
    return from_v6(bytes);
  }
  std::array<std::uint8_t, 4> bytes;
  if (!read(AF_INET, text, bytes.data())) return std::nullopt;
  return from_v4(bytes);
}

IpAddress IpAddress::allotment() const {
  constexpr unsigned kAllottedBits = 64;
  IpAddress network = *this;
  if (!is_v4()) network.bytes_ = masked(bytes_, kAllottedBits);
  return network;
}

IpAddress IpAddress::from_v4(const std::array<std::uint8_t, 4>& bytes) {
  IpAddress address;
  std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes_.begin());
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin() + kMappedPrefix.size());
  return address;
}

IpAddress IpAddress::from_v6(const std::array<std::uint8_t, 16>& bytes) {
  IpAddress address;
  address.bytes_ = bytes;
  return address;
}

bool IpAddress::is_v4() const {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes_.begin());
}

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes_[kMappedPrefix.size()] == 127;
  return std::all_of(bytes_.begin(), bytes_.end() - 1, [](auto byte) { return byte == 0; }) &&
         bytes_.back() == 1;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> written{};
  const std::uint8_t* from = is_v4() ? bytes_.data() + kMappedPrefix.size() : bytes_.data();
  CHECK(inet_ntop(is_v4() ? AF_INET : AF_INET6, from, written.data(), written.size()));
  return written.data();
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto written = text.substr(0, slash);
  const auto address = IpAddress::parse(written);
  if (!address) return std::nullopt;
  const unsigned skipped = is_v6_spelling(written) ? 0 : kMappedPrefixBits;
  std::optional<unsigned> bits = 128 - skipped;
  if (slash != std::string_view::npos) bits = parse_prefix(text.substr(slash + 1), *bits);
  if (!bits) return std::nullopt;
  const unsigned prefix_bits = skipped + *bits;
  return Cidr(IpAddress::from_v6(masked(address->bytes(), prefix_bits)), prefix_bits);
}

bool Cidr::contains(const IpAddress& address) const {
  return address.is_v4() == network_.is_v4() &&
         masked(address.bytes(), prefix_bits_) == network_.bytes();
}

}  // namespace graspd::core
